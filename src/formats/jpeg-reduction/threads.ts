import { ServerError } from "../../core/errors.ts";
import {
  createPool,
  defineResource,
  memoryReservations,
  type Pool,
  threadBase,
} from "../pool/index.ts";
import { type FinalPart, threadLimitsOf } from "../shared/index.ts";
import type { ReductionJob, ReductionOutcome, TiffPart } from "./contract.ts";

/** A JPEG that was read reduced. */
export interface ReducedJpeg {
  /**
   * An uncompressed TIFF in tiles; absent where another decoder has to read the JPEG, which finds
   * out what is wrong if it is corrupt.
   */
  readonly tiff?: Uint8Array;
}

/** Takes a TIFF that is not complete yet, and how much of it is final. */
export type TakeGrowingTiff = (tiff: Uint8Array, final: FinalPart) => void;

/** Reads JPEGs reduced, away from the event loop. */
export interface JpegReducer {
  /**
   * Undefined while threads fail. Until then, `grown` is called each time more of the TIFF is final,
   * and with 0 rows if the rest fails. Throws the signal's reason, `late` past the time limit.
   */
  reduce(
    job: ReductionJob,
    signal: AbortSignal,
    grown?: TakeGrowingTiff,
  ): Promise<ReducedJpeg | undefined>;
}

/** A reducer that uses these threads. */
export const reducerWith = ({
  run,
}: Pick<Pool<ReductionJob, ReductionOutcome>, "run">): JpegReducer => ({
  async reduce(job, signal, grown) {
    let tiff: Uint8Array | undefined;
    const add = ({ bytes, at, length }: TiffPart): Uint8Array => {
      if (bytes.length === length) return bytes;
      tiff ??= new Uint8Array(length);
      tiff.set(bytes, at);
      return tiff;
    };
    const report = ({ part }: ReductionOutcome): void => {
      if (part) grown?.(add(part), { rows: part.rows, bytes: part.at + part.bytes.length });
    };
    try {
      const { part } = await run(job, signal, { report });
      return part ? { tiff: add(part) } : {};
    } catch (error) {
      if (tiff) grown?.(tiff, { rows: 0, bytes: 0 });
      signal.throwIfAborted();
      return resultOfFailure(error);
    }
  },
});

/** What a failed job says of its JPEG: nothing, if the thread is to blame. */
const resultOfFailure = (error: unknown): ReducedJpeg | undefined => {
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
