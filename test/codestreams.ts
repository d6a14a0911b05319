import { setMaxListeners } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RangeReader } from "../src/core/range-reader.ts";
import type {
  Codestream,
  CodestreamDecoder,
  Plane,
  RegionWanted,
} from "../src/formats/jpeg2000/codestream/contract.ts";
import { createCodestreamDecoder } from "../src/formats/jpeg2000/codestream/decoder.ts";
import type { WindowRunner } from "../src/formats/jpeg2000/codestream/decoding.ts";
import { loadReconstruction, runHere } from "../src/formats/jpeg2000/codestream/inline-runner.ts";
import { openCodestream } from "../src/formats/jpeg2000/codestream/main-header.ts";
import { memoryReader } from "./readers.ts";

const folder = fileURLToPath(new URL("./jpeg2000/", import.meta.url));
const never = new AbortController().signal;
setMaxListeners(0, never);

/** The names of the codestreams in test/jpeg2000. */
export const codestreamNames: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".j2k"))
  .map((name) => name.slice(0, -4));

/** The bytes of one of them. */
export const codestreamBytes = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${folder}${name}.j2k`));

/**
 * The codestream of a file: of boxes, the contents of the first `jp2c` (ISO/IEC 15444-1, I.5.4).
 */
export const codestreamIn = (file: Buffer): Uint8Array => {
  if (file.readUInt16BE(0) === 0xff4f) return new Uint8Array(file);
  for (let at = 0; at + 8 <= file.length; ) {
    const short = file.readUInt32BE(at) || file.length - at;
    const [head, length] = short === 1 ? [16, Number(file.readBigUInt64BE(at + 8))] : [8, short];
    if (file.toString("latin1", at + 4, at + 8) === "jp2c")
      return new Uint8Array(file.subarray(at + head, at + length));
    at += length;
  }
  throw new Error("Expected a file with a codestream");
};

/**
 * MD5 of OpenJPEG's output for each, by number of omitted levels: all components' samples in 32
 * bits.
 */
export const expectedSamples = (): Readonly<Record<string, Readonly<Record<number, string>>>> =>
  JSON.parse(readFileSync(`${folder}expected.json`, "utf8"));

/**
 * A decoder on the calling thread unless another runner is given; `blockBytes` is the size of its
 * cache of blocks, and `sharedMemory` has those of other decoders.
 */
export const testDecoder = async (
  blockBytes = 1_048_576,
  runner?: WindowRunner,
  sharedMemory?: ArrayBuffer,
): Promise<CodestreamDecoder> =>
  createCodestreamDecoder(
    () => ({ indexBytes: 16_777_216, blockBytes, answerBytes: 268_435_456 }),
    runner ?? runHere(await loadReconstruction()),
    sharedMemory,
  );

/** A codestream that is open. */
export interface Open {
  readonly codestream: Codestream;
  readonly reader: RangeReader;
}

/** Opens a codestream in memory. */
export const opened = async (
  bytes: Uint8Array,
  reader: RangeReader = memoryReader(bytes),
): Promise<Open> => ({
  codestream: await openCodestream(reader, { offset: 0, length: bytes.length }, never),
  reader,
});

/** Decodes the whole image, or the requested part. */
export const decoded = async (
  decoder: CodestreamDecoder,
  { codestream, reader }: Open,
  wanted: Partial<RegionWanted> = {},
): Promise<readonly Plane[]> => {
  const { width, height } = codestream.header.image;
  const region = { x: 0, y: 0, width, height };
  const all = { codestream, reader, region, reduce: 0, signal: never, ...wanted };
  return (await decoder.decodeRegion(all)).planes;
};

/** A part of a plane, in the form of a region's plane. */
export const partOf = (whole: Plane, { x, y, width, height }: Plane): number[] =>
  Array.from({ length: height }, (_, row) => {
    const start = (y - whole.y + row) * whole.width + x - whole.x;
    return [...whole.samples.subarray(start, start + width)];
  }).flat();
