import { ServerError } from "../../../core/errors.ts";
import {
  createPool,
  type MemoryReservations,
  type PoolLimits,
  residentMemory,
} from "../../pool/index.ts";
import type { InlineTime } from "../../shared/index.ts";
import type { WindowRunner } from "./decoding.ts";
import { loadEncoder } from "./encoder.ts";
import { isQuick, workspaceBytes } from "./inline-ht.ts";
import { loadSharedReconstruction } from "./inline-runner.ts";
import type { WindowSamples } from "./job.ts";
import { type PackedJob, packed, transferList } from "./packed-job.ts";
import type { Reconstruct } from "./reconstruction.ts";

/**
 * Runs jobs in threads that start with the first job and stay; from then on quick ones also run on
 * the calling thread, within the time of `turn`.
 */
export const runInThreads = (
  limits: () => PoolLimits,
  turn?: InlineTime,
  reservations?: MemoryReservations,
): WindowRunner => {
  const place = (): PoolLimits => {
    const now = limits();
    return { ...now, ...residentMemory(now) };
  };
  const pool = createPool<PackedJob, WindowSamples>(place, {
    reservations,
    isFirstReserved: true,
    module: new URL("./window-worker", import.meta.url),
    jobsPerThread: 2,
    // Decoded blocks: a job learns from shared memory that nobody waits any more.
    shares: true,
    transfer: transferList,
    failures: {
      late: () => new ServerError("late", "Decoding JPEG 2000 took too long."),
      broken: (cause) =>
        new ServerError("internal", "A thread that decodes JPEG 2000 crashed.", { cause }),
      damaged: (cause) => cause,
    },
  });
  let here: Reconstruct | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    const encode = await loadEncoder();
    if (encode !== undefined) here = await loadSharedReconstruction(encode);
  };
  return {
    encodes: true,
    workspaceBytes: turn && workspaceBytes,
    async run(job, signal) {
      if (turn !== undefined) loading ??= load();
      await loading;
      signal.throwIfAborted();
      const reconstruct = here;
      if (reconstruct && turn?.hasTime() && isQuick(job)) return turn.spend(() => reconstruct(job));
      return pool.run(packed(job), signal);
    },
    hasTime: () => here !== undefined && turn?.hasTime() === true,
    here(job) {
      const reconstruct = here;
      if (reconstruct === undefined || !turn?.hasTime() || !isQuick(job)) return undefined;
      return turn.spend(() => reconstruct(job));
    },
    close: () => pool.close(),
  };
};
