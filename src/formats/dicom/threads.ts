import type { Settings } from "../../config/keys.ts";
import { ServerError } from "../../core/errors.ts";
import {
  createPool,
  type MemoryReservations,
  type Pool,
  type PoolLimits,
  threadBase,
} from "../pool/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import type { FrameJob, FrameSamples } from "./job.ts";

/** Decodes the frames of DICOM files away from the event loop. */
export type FrameThreads = Pool<FrameJob, FrameSamples>;

/** The configured limits; `threads` and `niceness` are those of the other rendering threads. */
export const frameThreadLimits = (
  settings: Settings<typeof decodingKeys>,
  drawing: Pick<PoolLimits, "threads" | "niceness">,
  memory = usualMemory,
): PoolLimits => ({
  ...drawing,
  data: { memory },
  reservedBytes: threadBase + memory,
  ms: Math.min(longestSeconds, settings["processor.timeout"] || longestSeconds) * 1_000,
  heapBytes,
});

/** Time limit: the largest accepted frames take some seconds. */
const longestSeconds = 10;

/** Decoded samples are outside the heap, and nothing else is large. */
const heapBytes = 134_217_728;

/** Default maximum memory of decoding. */
const usualMemory = 536_870_912;

/** Threads that start with the first frame. */
export const createFrameThreads = (
  limits: () => PoolLimits,
  reservations?: MemoryReservations,
): FrameThreads =>
  createPool<FrameJob, FrameSamples>(limits, {
    reservations,
    module: new URL("./frame-worker", import.meta.url),
    transfer: ({ bytes }) => [bytes.buffer as ArrayBuffer],
    idleMs: 60_000,
    failures: {
      late: () => new ServerError("late", "Decoding a frame of the DICOM file took too long."),
      broken: (cause) =>
        new ServerError(
          "unreadable",
          "Expected a frame of the DICOM file that can be decoded; this one is corrupt or needs too much memory.",
          { cause },
        ),
      notStarted: (cause) =>
        new ServerError("internal", "A thread that decodes DICOM frames did not start.", { cause }),
      damaged: (cause) =>
        new ServerError("unreadable", "Corrupt frame in the DICOM file.", {
          cause,
        }),
    },
  });
