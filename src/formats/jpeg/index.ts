import { isJpeg } from "../containers/signatures.ts";
import type { Format } from "../format.ts";
import { vipsTitles } from "../libvips/titles.ts";
import { decodingKeys } from "../shared/decoding-keys.ts";
import { libvips } from "../shared/means.ts";
import { encoders } from "../write/encode.ts";

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
  createDecoder: async ({ config }) =>
    (await import("../libvips/decoder.ts")).createVipsDecoder("jpg", config.view(decodingKeys)),
  encoder: encoders.jpg,
  metadata: async () => (await import("../metadata/jpeg.ts")).scanJpeg,
};
