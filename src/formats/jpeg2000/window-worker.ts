import { answerJobs } from "../threads/worker.ts";
import { createTileEncoder } from "../tile-drawing.ts";
import { loadTurbo } from "../turbo.ts";
import { loadReconstruction } from "./here.ts";
import type { WindowSamples } from "./job.ts";
import { type PackedJob, unpacked } from "./packed-job.ts";
import type { Encode } from "./reconstruction.ts";

const loadEncoder = async (): Promise<Encode | undefined> => {
  const turbo = await loadTurbo();
  const encode = turbo && createTileEncoder(turbo);
  return encode && ((pixels, form) => encode({ ...form, size: form }, pixels));
};

await answerJobs<PackedJob, WindowSamples>(async () => {
  const reconstruct = await loadReconstruction(await loadEncoder());
  return {
    carryOut: (job) => reconstruct(unpacked(job)),
    transfer: (samples) => samples.map(({ buffer }) => buffer as ArrayBuffer),
    // Each job sets the kernel's memory up anew.
    isFatal: () => false,
  };
});
