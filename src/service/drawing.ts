import { defineKeys, type Settings } from "../config/keys.ts";
import type { Machine } from "../config/machine.ts";
import type { AdmissionLimits } from "../core/admission.ts";

/** Keys that limit concurrent rendering and its queue. All numbers are for the whole server. */
export const drawingKeys = defineKeys({
  "processor.max_running": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "Maximum number of tiles and other small images rendered concurrently; 0 for three per processor. It is divided among the workers, and each has at least one.",
  },
  "processor.max_running_large": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "Maximum number of large images rendered concurrently, beside the small ones; 0 for one per two processors. It is divided among the workers, and each has at least one. If it is raised at run time, the additional ones share threads with tiles.",
  },
  "processor.large_pixels": {
    type: "integer",
    default: 4_000_000,
    min: 100_000,
    doc: "Decoded and encoded pixels from which an image is large, so that no tile waits for it. Costly encoders count several times (WebP 3, GIF and AVIF 8), and a part of a JPEG or PNG file counts with all that must be decoded to reach it.",
  },
  "processor.memory_budget": {
    type: "bytes",
    default: null,
    share: "drawing",
    min: 67_108_864,
    doc: "Maximum memory of all renders together, by estimates made beforehand. A quarter of it is reserved for small images. An image that needs more than its worker has gets 400.",
  },
  "processor.max_waiting": {
    type: "integer",
    default: 1_000,
    min: 0,
    doc: "Maximum number of small images, and of large ones, that wait to be rendered. Further requests get 503 at once. It is divided among the workers.",
  },
  "processor.max_wait": {
    type: "seconds",
    default: 10,
    min: 0,
    max: 3_600,
    doc: "Maximum seconds that an image may wait to be rendered. Requests that would wait longer, by recent rendering times, get 503 at once.",
  },
});

/** The limits for each of a number of workers on a machine. */
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
  };
};

// While some renders read or send, another keeps the processor busy.
const smallPerProcessor = 3;
const processorsPerLarge = 2;

/** The share of memory that large images never take. */
const keptForSmall = 0.25;

/** While the lane of small images is full, large ones run a fifth of the time at most. */
const restOfLarge = 4;
