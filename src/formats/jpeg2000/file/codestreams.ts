import type { Settings } from "../../../config/keys.ts";
import type { MemoryReservations, PoolLimits } from "../../pool/index.ts";
import type { InlineTime } from "../../shared/index.ts";
import {
  type CodestreamDecoder,
  createCodestreamDecoder,
  type DecoderLimits,
  loadReconstruction,
  type OpenCodestream,
  openCodestream,
  runHere,
  runInThreads,
  type WindowRunner,
} from "../codestream/index.ts";
import type { jpeg2000Keys } from "./keys.ts";
import { PixelCache } from "./pixel-cache.ts";

/** The decoder of codestreams. */
export interface Codestreams {
  readonly open: OpenCodestream;
  readonly decoder: CodestreamDecoder;
  /** The cache of plain images' decoded pixels. */
  readonly pixels: PixelCache;
}

type ReadingSettings = () => Settings<typeof jpeg2000Keys>;

/** Decodes on the calling thread. */
export const codestreamsHere = async (
  settings: ReadingSettings,
  pixels?: PixelCache,
): Promise<Codestreams> => codestreamsBy(runHere(await loadReconstruction()), settings, pixels);

/** The options of decoding in threads. */
export interface ThreadedParts {
  readonly threads: () => PoolLimits;
  /** The event loop's time budget for small jobs; absent: all jobs run in threads. */
  readonly turn?: InlineTime | undefined;
  readonly reservations?: MemoryReservations | undefined;
  readonly pixels?: PixelCache;
  /** For decoded blocks, shared with other processes; absent: each process has its own. */
  readonly sharedMemory?: ArrayBuffer | undefined;
}

/**
 * Decodes in threads that start with the first image; small jobs run on the calling thread within
 * `turn`. Closing the decoder ends the threads.
 */
export const codestreamsInThreads = (
  settings: ReadingSettings,
  { threads, turn, reservations, pixels, sharedMemory }: ThreadedParts,
): Codestreams =>
  codestreamsBy(runInThreads(threads, turn, reservations), settings, pixels, sharedMemory);

/** A cache of decoded pixels of the configured size. */
export const createPixelCache = (settings: ReadingSettings): PixelCache =>
  new PixelCache(settings()["cache.server.jpeg2000.pixels.target_size"]);

const codestreamsBy = (
  runner: WindowRunner,
  settings: ReadingSettings,
  pixels = createPixelCache(settings),
  sharedMemory?: ArrayBuffer,
): Codestreams => ({
  open: openCodestream,
  decoder: createCodestreamDecoder(limitsOf(settings, sharedMemory), runner, sharedMemory),
  pixels,
});

const limitsOf = (settings: ReadingSettings, sharedMemory?: ArrayBuffer) => (): DecoderLimits => ({
  indexBytes: settings()["cache.server.jpeg2000.index.target_size"],
  blockBytes:
    settings()["cache.server.jpeg2000.blocks.target_size"] *
    (sharedMemory === undefined ? 1 : 1 - sharedPart),
  answerBytes: settings()["processor.max_decoded_bytes"],
});

/** How much of each worker's memory for decoded blocks all workers share. */
export const sharedPart = 0.5;
