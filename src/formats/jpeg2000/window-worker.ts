import { answerJobs } from "../threads/worker.ts";
import { loadReconstruction } from "./here.ts";
import type { WindowJob, WindowSamples } from "./job.ts";

await answerJobs<WindowJob, WindowSamples>(async () => ({
  carryOut: await loadReconstruction(),
  transfer: (samples) => samples.map(({ buffer }) => buffer as ArrayBuffer),
  // Each job sets the kernel's memory up anew.
  isFatal: () => false,
}));
