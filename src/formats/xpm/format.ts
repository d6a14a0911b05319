import type { Format } from "../record/index.ts";
import { ours } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { isXpm } from "./text.ts";

/** XPM. */
export const xpm: Format = {
  name: "xpm",
  facts: {
    name: "XPM",
    extensions: ["xpm"],
    mediaTypes: ["image/x-xpixmap"],
    alpha: true,
    maxSide: 0,
  },
  signature: { matches: isXpm },
  reader: ours,
  losses: "none",
  createDecoder: async ({ config }) =>
    (await import("./decoder.ts")).createXpmDecoder(config.view(decodingKeys)),
};
