import { isWebp } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libvips, vipsTitles } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { encoders } from "../write/index.ts";

/** WebP */
export const webp: Format = {
  name: "webp",
  facts: {
    name: vipsTitles.webp,
    extensions: ["webp"],
    mediaTypes: ["image/webp"],
    alpha: true,
    maxSide: 16_383,
  },
  signature: { matches: isWebp },
  reader: libvips,
  losses: "chroma",
  createDecoder: async ({ config }) =>
    (await import("../libvips/index.ts")).createVipsDecoder("webp", config.view(decodingKeys)),
  encoder: encoders.webp,
  metadata: async () => (await import("../metadata/index.ts")).scanWebp,
};
