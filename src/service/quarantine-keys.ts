import { defineKeys } from "../config/keys.ts";

/** Keys that decide when an image that crashes decoders is quarantined. */
export const quarantineKeys = defineKeys({
  "processor.quarantine.after": {
    type: "integer",
    default: 3,
    min: 0,
    max: 1_000,
    doc: "Number of decoder crashes within processor.quarantine.seconds after which an image is refused: a thread or program that crashes or exceeds its time or memory, or a whole worker, which counts once for each image it was reading. 0 never refuses one. An image that was only read beside others when workers crashed is first read alone. A replaced file is another image.",
  },
  "processor.quarantine.seconds": {
    type: "seconds",
    default: 600,
    min: 1,
    max: 86_400,
    doc: "Seconds for which such an image is refused with 503. Cached derivatives are still served.",
  },
});
