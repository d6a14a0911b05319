import { bytes, percent, short } from "../format/numbers.ts";
import type { ImageLookup } from "../server/wire.ts";

type Known = NonNullable<ImageLookup["pyramids"]>[number];

/** The state of the pyramid of a page and its gain; a sentence without its full stop. */
export const pyramidText = ({ state, gain }: Known): string => {
  switch (state.kind) {
    case "unneeded":
      return "not needed: the page is fast to zoom";
    case "absent":
      return `none yet, requests have caused ${percent(state.share)} of the decoding after which one is made; ${gainText(gain, "would make")}`;
    case "pending":
      return `waiting or being made; ${gainText(gain, "will make")}`;
    case "refused":
      return `refused: ${state.reason.replace(/\.$/, "")}; ${gainText(gain, "would make")}`;
    case "ready":
      return `made, ${bytes(state.bytes)}; ${gainText(gain, "makes")}`;
  }
};

const gainText = (gain: number, verb: string): string =>
  `it ${verb} zooming up to ${short(gain)} times cheaper`;
