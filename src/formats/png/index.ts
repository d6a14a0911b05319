import { isPng } from "../containers/signatures.ts";
import type { Format } from "../format.ts";
import { vipsTitles } from "../libvips/titles.ts";
import { decodingKeys } from "../shared/decoding-keys.ts";
import { libvips } from "../shared/means.ts";
import { encoders } from "../write/encode.ts";

/** PNG */
export const png: Format = {
  name: "png",
  facts: {
    name: vipsTitles.png,
    extensions: ["png"],
    mediaTypes: ["image/png"],
    alpha: true,
    maxSide: 10_000_000,
  },
  signature: { matches: isPng },
  reader: libvips,
  createDecoder: async ({ config }) =>
    (await import("./decoder.ts")).createPngDecoder(config.view(decodingKeys)),
  encoder: encoders.png,
  metadata: async () => (await import("../metadata/png.ts")).scanPng,
};
