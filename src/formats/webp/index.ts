import { isWebp } from "../containers/signatures.ts";
import type { Format } from "../format.ts";
import { vipsTitles } from "../libvips/titles.ts";
import { decodingKeys } from "../shared/decoding-keys.ts";
import { libvips } from "../shared/means.ts";
import { encoders } from "../write/encode.ts";

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
  createDecoder: async ({ config }) =>
    (await import("../libvips/decoder.ts")).createVipsDecoder("webp", config.view(decodingKeys)),
  encoder: encoders.webp,
  metadata: async () => (await import("../metadata/webp.ts")).scanWebp,
};
