import { isGif } from "../containers/signatures.ts";
import type { Format } from "../format.ts";
import { vipsTitles } from "../libvips/titles.ts";
import { decodingKeys } from "../shared/decoding-keys.ts";
import { libvips } from "../shared/means.ts";
import { encoders } from "../write/encode.ts";

/** GIF */
export const gif: Format = {
  name: "gif",
  facts: {
    name: vipsTitles.gif,
    extensions: ["gif"],
    mediaTypes: ["image/gif"],
    alpha: true,
    maxSide: 65_535,
  },
  signature: { matches: isGif },
  reader: libvips,
  createDecoder: async ({ config }) =>
    (await import("../libvips/decoder.ts")).createVipsDecoder("gif", config.view(decodingKeys)),
  encoder: encoders.gif,
  metadata: async () => (await import("../metadata/gif.ts")).scanGif,
};
