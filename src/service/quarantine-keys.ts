import { defineKeys } from "../config/keys.ts";

/** When a picture is refused that brings down what reads it. */
export const quarantineKeys = defineKeys({
  "processor.quarantine.after": {
    type: "integer",
    default: 3,
    min: 0,
    max: 1_000,
    doc: "How often reading or drawing a picture may bring down what does it (a thread or a program that breaks down, or runs out of its time or memory, or a whole worker, which counts once for each picture it was reading), within processor.quarantine.seconds, before the picture is refused; 0 for never refusing one. A picture that was only read beside others when workers died is first read alone. A file that was replaced is another picture.",
  },
  "processor.quarantine.seconds": {
    type: "seconds",
    default: 600,
    min: 1,
    max: 86_400,
    doc: "Seconds for which such a picture is refused with 503. What is kept of it in caches is answered all the same.",
  },
});
