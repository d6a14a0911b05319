import { ServerError } from "../../../core/errors.ts";
import {
  createPool,
  type MemoryReservations,
  type Pool,
  type PoolLimits,
  threadBase,
} from "../../pool/index.ts";
import { createSampleEncoder } from "./encode.ts";
import type { EncodeJob } from "./job.ts";

/** Encodes what libvips does not; a job transfers the memory of its samples. */
export type SampleEncoders = Pool<EncodeJob, Uint8Array>;

/** Limits of encoding an image. */
export interface EncoderLimits extends PoolLimits {
  /** Of the encoder's own memory, in bytes; its module's default if absent. */
  readonly memory?: number;
}

/** Threads that start with the first image. */
export const createSampleEncoders = (
  limits: () => EncoderLimits,
  reservations?: MemoryReservations,
): SampleEncoders =>
  createPool<EncodeJob, Uint8Array>(() => placeOf(limits()), {
    reservations,
    module: new URL("./encode-worker", import.meta.url),
    transfer: ({ picture }) => [picture.data.buffer as ArrayBuffer],
    graceMs: 1_000,
    // Memory does not shrink otherwise.
    idleMs: 60_000,
    failures: {
      late: () => new ServerError("late", "Encoding took too long."),
      broken: tooLarge,
      damaged: tooLarge,
      notStarted: (cause) =>
        new ServerError("internal", "A thread that encodes images did not start.", { cause }),
    },
  });

const placeOf = ({ memory, ...limits }: EncoderLimits): PoolLimits =>
  memory === undefined
    ? limits
    : { ...limits, data: { memory }, reservedBytes: threadBase + memory };

/** As `createSampleEncoders`, on the calling thread. */
export const sampleEncodersHere = (): SampleEncoders => {
  const encode = createSampleEncoder();
  return {
    async run(job, signal) {
      signal.throwIfAborted();
      try {
        return await encode(job);
      } catch (error) {
        throw tooLarge(error);
      }
    },
    close: async () => {},
  };
};

/** Any other error is internal: the samples are our own. */
const tooLarge = (cause: unknown): ServerError =>
  new ServerError(
    "malformed",
    "Encoding an image this large needs more than the available memory.",
    { cause },
  );
