import { answerJobs } from "../../pool/index.ts";
import { loadEncoder } from "./encoder.ts";
import { loadReconstruction } from "./inline-runner.ts";
import type { WindowSamples } from "./job.ts";
import { type PackedJob, unpacked } from "./packed-job.ts";

await answerJobs<PackedJob, WindowSamples>(async () => {
  const reconstruct = await loadReconstruction(await loadEncoder());
  return {
    carryOut: (job) => reconstruct(unpacked(job)),
    transfer: (samples) => samples.map(({ buffer }) => buffer as ArrayBuffer),
    // Each job resets the kernel's memory.
    isFatal: () => false,
  };
});
