import { afterAll } from "vitest";
import { Config } from "../src/config/store.ts";
import { createDicomDecoder } from "../src/formats/dicom/decoder.ts";
import { createFrameThreads } from "../src/formats/dicom/threads.ts";
import { codestreamsHere } from "../src/formats/jpeg2000/file/codestreams.ts";
import { jpeg2000Keys } from "../src/formats/jpeg2000/file/keys.ts";
import type { Decoder } from "../src/formats/shared/codec.ts";

/**
 * Reads DICOM with a thread of its own, which ends with the tests of its file. A frame may take
 * `ms` milliseconds; longer ones fail as `late`.
 */
export const dicomDecoder = async (ms = 10_000): Promise<Decoder> => {
  const settings = new Config().view(jpeg2000Keys);
  const threads = createFrameThreads(() => ({ threads: 1, ms }));
  afterAll(() => threads.close());
  return createDicomDecoder(settings, { codestreams: await codestreamsHere(settings), threads });
};
