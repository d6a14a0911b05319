import type { Settings } from "../../../config/keys.ts";
import { usualShares } from "../../../core/shares.ts";
import type { PoolLimits } from "../../pool/kind.ts";
import type { MemoryReservations } from "../../pool/memory-reservations.ts";
import type { readingKeys } from "../../shared/decoding-keys.ts";
import type { Turn } from "../../shared/turn.ts";
import type { CodestreamDecoder, OpenCodestream } from "../codestream/contract.ts";
import { createCodestreamDecoder, type DecoderLimits } from "../codestream/decoder.ts";
import type { WindowRunner } from "../codestream/decoding.ts";
import { loadReconstruction, runHere } from "../codestream/here.ts";
import { openCodestream } from "../codestream/main-header.ts";
import { runInThreads } from "../codestream/threads.ts";
import { KeptPixels } from "./kept-pixels.ts";
import type { jpeg2000Keys } from "./keys.ts";

/** What reads codestreams. */
export interface Codestreams {
  readonly open: OpenCodestream;
  readonly decoder: CodestreamDecoder;
  /** What was decoded last of plain pictures. */
  readonly pixels: KeptPixels;
}

type ReadingSettings = () => Settings<typeof readingKeys> & Partial<Settings<typeof jpeg2000Keys>>;

/** Decodes on the calling thread. */
export const codestreamsHere = async (settings: ReadingSettings): Promise<Codestreams> => {
  const runner = runHere(await loadReconstruction());
  return codestreamsBy(runner, settings);
};

/** Decodes in threads that start with the first picture, and what keeps nobody waiting here in the time of `turn`; closing the decoder ends them. */
export const codestreamsInThreads = (
  settings: ReadingSettings,
  threads: () => PoolLimits,
  turn?: Turn,
  reservations?: MemoryReservations,
): Codestreams => codestreamsBy(runInThreads(threads, turn, reservations), settings);

const codestreamsBy = (runner: WindowRunner, settings: ReadingSettings): Codestreams => ({
  open: openCodestream,
  decoder: createCodestreamDecoder(limitsOf(settings), runner),
  pixels: new KeptPixels(
    settings()["cache.server.jpeg2000.pixels.target_size"] ?? usualShares.pixels,
  ),
});

const limitsOf = (settings: ReadingSettings) => (): DecoderLimits => ({
  indexBytes: settings()["cache.server.jpeg2000.index.target_size"] ?? usualShares.index,
  blockBytes: settings()["cache.server.jpeg2000.blocks.target_size"] ?? usualShares.blocks,
  answerBytes: settings()["processor.max_decoded_bytes"],
});
