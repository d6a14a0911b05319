import { isGif } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libvips, vipsTitles } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { encoders } from "../write/index.ts";

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
  losses: "none",
  createDecoder: async ({ config }) =>
    (await import("../libvips/index.ts")).createVipsDecoder("gif", config.view(decodingKeys)),
  encoder: encoders.gif,
  metadata: async () => (await import("../metadata/index.ts")).scanGif,
};
