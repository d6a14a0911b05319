import type { Settings } from "../../config/keys.ts";
import type { CodestreamDecoder, OpenCodestream } from "../jpeg2000/contract.ts";
import { createCodestreamDecoder, type DecoderLimits } from "../jpeg2000/decoder.ts";
import { loadReconstruction, runHere } from "../jpeg2000/here.ts";
import { openCodestream } from "../jpeg2000/main-header.ts";
import { runInThreads, type ThreadLimits } from "../jpeg2000/threads.ts";
import type { readingKeys } from "../reading.ts";

/** What reads codestreams. */
export interface Codestreams {
  readonly open: OpenCodestream;
  readonly decoder: CodestreamDecoder;
}

type ReadingSettings = () => Settings<typeof readingKeys>;

/** Decodes on the calling thread. */
export const codestreamsHere = async (settings: ReadingSettings): Promise<Codestreams> => {
  const runner = runHere(await loadReconstruction());
  return { open: openCodestream, decoder: createCodestreamDecoder(limitsOf(settings), runner) };
};

/** Decodes in threads that start with the first picture; closing the decoder ends them. */
export const codestreamsInThreads = (
  settings: ReadingSettings,
  threads: () => ThreadLimits,
): Codestreams => {
  const runner = runInThreads(threads);
  return { open: openCodestream, decoder: createCodestreamDecoder(limitsOf(settings), runner) };
};

/** Bytes of what is remembered of codestreams, and of blocks that were decoded. */
const mostIndexed = 67_108_864;
const mostDecoded = 67_108_864;

const limitsOf = (settings: ReadingSettings) => (): DecoderLimits => ({
  indexBytes: mostIndexed,
  blockBytes: mostDecoded,
  answerBytes: settings()["processor.max_decoded_bytes"],
});
