import { hasTextAt } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { ours } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";

/** BMP. */
export const bmp: Format = {
  name: "bmp",
  facts: {
    name: "BMP",
    extensions: ["bmp", "dib"],
    mediaTypes: ["image/bmp", "image/x-ms-bmp"],
    alpha: true,
    maxSide: 0,
  },
  signature: { matches: (start) => hasTextAt(start, 0, "BM") && start.length > 26 },
  reader: ours,
  losses: "none",
  createDecoder: async ({ config }) =>
    (await import("./decoder.ts")).createBmpDecoder(config.view(decodingKeys)),
  metadata: async () => (await import("./metadata.ts")).scanBmp,
};
