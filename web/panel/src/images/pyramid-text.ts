import { bytes, percent, short } from "../format/numbers.ts";
import type { ImageLookup } from "../server/wire.ts";

type Known = NonNullable<ImageLookup["pyramids"]>[number];

/** What is known of the pyramid of a page, and what one brings; a sentence without its full stop. */
export const pyramidText = ({ state, gain }: Known): string => {
  switch (state.kind) {
    case "unneeded":
      return "not needed: the page zooms fast as it is";
    case "absent":
      return `none yet, requests have reached ${percent(state.share)} of what it takes to make one; ${gainText(gain, "would make")}`;
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
