import { availableParallelism } from "node:os";
import { defineKeys, type Settings } from "../config/keys.ts";
import type { AdmissionLimits } from "../core/admission.ts";

/** How many pictures may be drawn at a time. */
export const drawingKeys = defineKeys({
  "processor.max_running": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "How many pictures are drawn at the same time; 0 for as many as the machine has processors.",
  },
  "processor.max_waiting": {
    type: "integer",
    default: 1_000,
    min: 0,
    doc: "How many pictures may wait to be drawn. Beyond it requests are answered with 503 at once.",
  },
});

/** What the settings come to on this machine. */
export const admissionLimits = (settings: Settings<typeof drawingKeys>): AdmissionLimits => ({
  running: settings["processor.max_running"] || availableParallelism(),
  waiting: settings["processor.max_waiting"],
});
