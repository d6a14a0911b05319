import { ServerError } from "../../core/errors.ts";
import type { PoolLimits } from "../threads/kind.ts";
import { createPool } from "../threads/pool.ts";
import type { WindowRunner } from "./decoding.ts";
import type { WindowSamples } from "./job.ts";
import { handedOver, type PackedJob, packed } from "./packed-job.ts";

/** Carries out jobs in threads that start with the first job and stay. */
export const runInThreads = (limits: () => PoolLimits): WindowRunner => {
  const pool = createPool<PackedJob, WindowSamples>(limits, {
    module: new URL("./window-worker", import.meta.url),
    jobsPerThread: 2,
    // Decoded blocks: a job sees by its own memory that nobody waits any more.
    shares: true,
    transfer: handedOver,
    failures: {
      late: () => new ServerError("late", "Decoding JPEG 2000 took longer than it may."),
      broken: (cause) =>
        new ServerError("internal", "A thread that decodes JPEG 2000 broke down.", { cause }),
      damaged: (cause) => cause,
    },
  });
  return {
    encodes: true,
    run: (job, signal) => pool.run(packed(job), signal),
    close: () => pool.close(),
  };
};
