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
import type { HeifJxlJob, HeifJxlLimits, HeifJxlOutcome } from "./contract.ts";

/** Decodes HEIC and JPEG XL away from the event loop. */
export type HeifJxlThreads = Pool<HeifJxlJob, HeifJxlOutcome>;

/**
 * The configured limits; `threads` and `niceness` are those of the other rendering threads,
 * `memory` is in bytes.
 */
export const heifJxlThreadLimits = (
  settings: Settings<typeof decodingKeys>,
  drawing: Pick<PoolLimits, "threads" | "niceness">,
  memory = usualMemory,
): PoolLimits => {
  const limits: HeifJxlLimits = {
    decoded: settings["processor.max_decoded_bytes"],
    pixels: settings["processor.max_scanned_pixels"],
    ms: (settings["processor.timeout"] || longestSeconds) * 1_000,
    memory,
  };
  return {
    ...drawing,
    ms: limits.ms,
    data: { ...limits },
    reservedBytes: threadBase + memory,
  };
};

const longestSeconds = 3_600;

/** Default maximum memory of a decoder and its cache. */
const usualMemory = 1_073_741_824;

/** Most parts are worth finishing: the next request needs the same tiles. */
const graceMs = 5_000;

/** WebAssembly memory does not shrink otherwise. */
const idleMs = 60_000;

/**
 * Threads that start on demand; one that has the image open is preferred. Each format has its own,
 * so that a thread has the memory of one decoder only.
 */
export const createHeifJxlThreads = (
  limits: () => PoolLimits,
  reservations?: MemoryReservations,
): HeifJxlThreads => {
  const pools = {
    heic: createThreads(limits, reservations),
    jxl: createThreads(limits, reservations),
  };
  return {
    run: (job, ...further) => pools[job.file.format].run(job, ...further),
    async close() {
      await pools.heic.close();
      await pools.jxl.close();
    },
  };
};

const createThreads = (
  limits: () => PoolLimits,
  reservations: MemoryReservations | undefined,
): HeifJxlThreads =>
  createPool<HeifJxlJob, HeifJxlOutcome>(limits, {
    module: new URL("./picture-worker", import.meta.url),
    failures: {
      late: () => new ServerError("late", "Decoding the image took too long."),
      broken: (cause) =>
        new ServerError(
          "unreadable",
          "Expected an image that can be decoded in the available memory; this one is corrupt or needs more.",
          { cause },
        ),
      notStarted: (cause) =>
        new ServerError("internal", "A thread that decodes images did not start.", { cause }),
      damaged: (cause) => new ServerError("unreadable", "Corrupt image file.", { cause }),
    },
    about: ({ file }) => file.id,
    graceMs,
    idleMs,
    reservations,
  });
