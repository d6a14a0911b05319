import { setTimeout as pause } from "node:timers/promises";
import { ServerError } from "../../core/errors.ts";
import {
  createPool,
  defineResource,
  memoryReservations,
  type Pool,
  threadBase,
} from "../pool/index.ts";
import { threadLimitsOf } from "../shared/index.ts";
import type { ReductionJob, ReductionOutcome } from "./contract.ts";

/** Reads JPEGs reduced, away from the event loop. */
export interface JpegReducer {
  /**
   * Without a result for a JPEG that it leaves to another decoder, which finds out what is wrong if
   * it is corrupt; undefined while no thread runs. Throws the signal's reason, `late` past the time
   * limit.
   */
  reduce(job: ReductionJob, signal: AbortSignal): Promise<ReductionOutcome | undefined>;
}

/** A reducer that uses these threads, and does not wait for them to start. */
export const reducerWith = ({
  run,
}: Pick<Pool<ReductionJob, ReductionOutcome>, "run">): JpegReducer => {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isStarting = false;

  const start = async (): Promise<void> => {
    isStarting = true;
    try {
      // Who waits now is served by the other decoder, and not slowed down.
      await pause(delayMs, undefined, { ref: false });
      await run(nothing, AbortSignal.timeout(startMs));
      answeredAt = performance.now();
    } catch {
      // The next job tries again, and the other decoder reads what this one cannot.
    } finally {
      isStarting = false;
    }
  };

  return {
    async reduce(job, signal) {
      if (performance.now() - answeredAt > idleMs) {
        if (!isStarting) void start();
        return undefined;
      }
      const outcome = await run(job, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        return outcomeOfFailure(error);
      });
      if (outcome !== undefined) answeredAt = performance.now();
      return outcome;
    },
  };
};

/** What a failed job says of its JPEG: nothing, if the thread is to blame. */
const outcomeOfFailure = (error: unknown): ReductionOutcome | undefined => {
  const failure = error instanceof ServerError ? error.failure : undefined;
  if (failure === "unreadable") return {};
  if (failure === "internal" || failure === "busy") return undefined;
  throw error;
};

/** A job that only starts a thread. */
const nothing: ReductionJob = {
  file: new Uint8Array(0),
  size: { width: 1, height: 1 },
  profiled: false,
  density: undefined,
  wanted: { size: { width: 1, height: 1 }, filter: "bicubic" },
};

/** Milliseconds before a thread is started. */
const delayMs = 1_000;

/** Milliseconds that a thread may take to start. */
const startMs = 30_000;

/** The threads that read JPEGs reduced: a few, which end when they have nothing to do. */
export const jpegReduction = defineResource<Pool<ReductionJob, ReductionOutcome>>({
  create: (resources) => {
    const limits = threadLimitsOf(resources);
    return createPool(() => ({ ...limits(), reservedBytes: threadBase + kernelBytes }), {
      module: new URL("./reduction-worker", import.meta.url),
      failures: {
        late: () => new ServerError("late", "Decoding the JPEG took too long."),
        broken: (cause) =>
          new ServerError("internal", "A thread that decodes JPEGs crashed.", { cause }),
        damaged: (cause) => new ServerError("unreadable", "Corrupt image data.", { cause }),
      },
      idleMs: 2 * idleMs,
      reservations: resources.get(memoryReservations),
    });
  },
  close: (threads) => threads.close(),
});

/** Memory of a kernel: its input, and the rows that it keeps. */
const kernelBytes = 16_777_216;

/** Milliseconds after the last job for which a thread is taken to be running; it runs for twice that. */
const idleMs = 60_000;
