import { isJpeg, isSubsampledJpeg } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libvips, vipsTitles } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { encoders } from "../write/index.ts";

/** JPEG */
export const jpeg: Format = {
  name: "jpg",
  facts: {
    name: vipsTitles.jpg,
    extensions: ["jpg", "jpeg"],
    mediaTypes: ["image/jpeg"],
    alpha: false,
    maxSide: 65_500,
  },
  signature: { matches: isJpeg },
  reader: libvips,
  losses: (start) => (isSubsampledJpeg(start) === false ? "accuracy" : "chroma"),
  createDecoder: async ({ config }) =>
    (await import("../libvips/index.ts")).createVipsDecoder("jpg", config.view(decodingKeys)),
  encoder: encoders.jpg,
  metadata: async () => (await import("../metadata/index.ts")).scanJpeg,
};
