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
   * it is corrupt; undefined while threads fail. Throws the signal's reason, `late` past the time
   * limit.
   */
  reduce(job: ReductionJob, signal: AbortSignal): Promise<ReductionOutcome | undefined>;
}

/** A reducer that uses these threads. */
export const reducerWith = ({
  run,
}: Pick<Pool<ReductionJob, ReductionOutcome>, "run">): JpegReducer => ({
  reduce: (job, signal) =>
    run(job, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return outcomeOfFailure(error);
    }),
});

/** What a failed job says of its JPEG: nothing, if the thread is to blame. */
const outcomeOfFailure = (error: unknown): ReductionOutcome | undefined => {
  const failure = error instanceof ServerError ? error.failure : undefined;
  if (failure === "unreadable") return {};
  if (failure === "internal" || failure === "busy") return undefined;
  throw error;
};

/** The threads that read JPEGs reduced: they stay, unless others need their memory. */
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
      reservations: resources.get(memoryReservations),
    });
  },
  close: (threads) => threads.close(),
});

/** Memory of a kernel: its input, and the rows that it keeps. */
const kernelBytes = 16_777_216;
