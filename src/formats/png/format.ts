import { isPng } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libvips, vipsTitles } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { encoders } from "../write/index.ts";

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
  losses: "none",
  createDecoder: async ({ config }) =>
    (await import("./decoder.ts")).createPngDecoder(config.view(decodingKeys)),
  encoder: encoders.png,
  metadata: async () => (await import("../metadata/index.ts")).scanPng,
};
