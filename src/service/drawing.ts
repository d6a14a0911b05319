import { defineKeys, type Settings } from "../config/keys.ts";
import type { Machine } from "../config/machine.ts";
import type { AdmissionLimits } from "../core/admission.ts";

/** How much is drawn at a time, and how much may wait. All numbers are for the whole server. */
export const drawingKeys = defineKeys({
  "processor.admission": {
    type: "choice",
    choices: ["enforced", "counted"],
    default: "enforced",
    doc: "Whether drawing keeps to the bounds below, or everything is drawn at once and only counted as if there were bounds, to see what they would do.",
  },
  "processor.max_running": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "How many tiles and other small pictures are drawn at the same time; 0 for three per processor. It is divided among the workers, and each has at least one.",
  },
  "processor.max_running_large": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "How many large pictures are drawn at the same time, beside the small ones; 0 for one per two processors. It is divided among the workers, and each has at least one. More than it finds at the start have to share threads with tiles.",
  },
  "processor.large_pixels": {
    type: "integer",
    default: 4_000_000,
    min: 100_000,
    doc: "From how many pixels decoded and encoded a picture is a large one, for which no tile waits. Costly encoders count several times (WebP 3, GIF and AVIF 8), and a part of a JPEG or PNG file counts with all that has to be decoded to reach it.",
  },
  "processor.memory_budget": {
    type: "bytes",
    default: null,
    share: "drawing",
    min: 67_108_864,
    doc: "Most memory that all drawing together may take, by estimates made before it begins. A quarter of it is kept for small pictures. A picture that would need more than its worker has is answered with 400.",
  },
  "processor.max_waiting": {
    type: "integer",
    default: 1_000,
    min: 0,
    doc: "How many small pictures, and how many large ones, may wait to be drawn. Beyond it requests are answered with 503 at once. It is divided among the workers.",
  },
  "processor.max_wait": {
    type: "seconds",
    default: 10,
    min: 0,
    max: 3_600,
    doc: "Seconds a picture may wait to be drawn. Who would have to wait longer, going by how long drawing took lately, is answered with 503 at once.",
  },
});

/** What the settings come to in each of a number of workers on a machine. */
export const admissionLimits = (
  settings: Settings<typeof drawingKeys>,
  { processors }: Pick<Machine, "processors">,
  { workers }: { readonly workers: number },
): AdmissionLimits => {
  const share = (all: number): number => Math.max(1, Math.ceil(all / workers));
  const bytes = settings["processor.memory_budget"] / workers;
  const small = Math.floor(bytes * keptForSmall);
  return {
    small: {
      running: share(settings["processor.max_running"] || processors * smallPerProcessor),
      bytes: small,
    },
    large: {
      running: share(settings["processor.max_running_large"] || processors / processorsPerLarge),
      bytes: Math.floor(bytes) - small,
    },
    largePixels: settings["processor.large_pixels"],
    waiting: Math.ceil(settings["processor.max_waiting"] / workers),
    patienceMs: settings["processor.max_wait"] * 1000,
    rest: restOfLarge,
    countsOnly: settings["processor.admission"] === "counted",
  };
};

// While some are read or sent off, another keeps the processor busy.
const smallPerProcessor = 3;
const processorsPerLarge = 2;

/** The part of the memory that large pictures never take. */
const keptForSmall = 0.25;

/** While small pictures fill their lane, large ones run a fifth of the time at most. */
const restOfLarge = 4;
