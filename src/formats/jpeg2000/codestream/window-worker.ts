import { answerJobs } from "../../pool/index.ts";
import { loadEncoder } from "./encoder.ts";
import { loadReconstruction } from "./inline-runner.ts";
import type { WindowSamples } from "./job.ts";
import { type PackedJob, unpackJob } from "./packed-job.ts";

await answerJobs<PackedJob, WindowSamples>(async () => {
  const reconstruct = await loadReconstruction(await loadEncoder());
  return {
    carryOut: (job) => reconstruct(unpackJob(job)),
    transfer: (samples) => samples.map(({ buffer }) => buffer as ArrayBuffer),
    // Each job resets the kernel's memory.
    isFatal: () => false,
  };
});
