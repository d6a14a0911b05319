import { fail } from "../core/errors.ts";
import type { RangeReader } from "../core/range-reader.ts";

const blockSize = 65_536;
const keptBlocks = 32;
const gapWorthReading = 16_384;
const longestRead = 8_388_608;
const readsAtOnce = 8;

/** A piece of the file, and where its bytes go. */
export interface Piece {
  readonly offset: number;
  readonly length: number;
  readonly into: Uint8Array;
}

/** The bytes of a TIFF file by position, in its byte order; refuses whatever lies outside the file. */
export class TiffBytes {
  readonly size: number;
  readonly littleEndian: boolean;
  readonly #reader: RangeReader;
  readonly #blocks = new Map<number, Promise<Uint8Array>>();

  constructor(reader: RangeReader, littleEndian: boolean) {
    this.#reader = reader;
    this.size = reader.size;
    this.littleEndian = littleEndian;
  }

  /** At most a few megabytes: directories and arrays, read through a small cache of blocks. */
  async view(offset: number, length: number, signal: AbortSignal): Promise<DataView> {
    this.#check(offset, length);
    if (length > 4 * blockSize) return dataView(await this.#exactly(offset, length, signal));
    const first = Math.floor(offset / blockSize);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / blockSize);
    if (first === last) {
      const block = await this.#block(first, signal);
      const from = offset - first * blockSize;
      if (block.length < from + length) tooShort();
      return dataView(block.subarray(from, from + length));
    }
    const bytes = new Uint8Array(length);
    for (let number = first; number <= last; number++) {
      const block = await this.#block(number, signal);
      const start = number * blockSize;
      const part = block.subarray(Math.max(0, offset - start), offset + length - start);
      bytes.set(part, Math.max(0, start - offset));
      if (start + block.length < Math.min(offset + length, start + blockSize)) tooShort();
    }
    return dataView(bytes);
  }

  /** The bytes of a part, in memory that is the caller's alone. */
  async own(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    this.#check(offset, length);
    const bytes = await this.#exactly(offset, length, signal);
    return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
  }

  /** Fills the pieces, reading neighbours together. */
  async fill(pieces: readonly Piece[], signal: AbortSignal): Promise<void> {
    for (const piece of pieces) this.#check(piece.offset, piece.length);
    const runs = joined(pieces);
    const work = async (): Promise<void> => {
      for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
        const bytes = await this.#exactly(run.offset, run.length, signal);
        for (const { offset, length, into } of run.pieces) {
          const from = offset - run.offset;
          into.set(bytes.subarray(from, from + length));
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(readsAtOnce, runs.length) }, work));
  }

  #check(offset: number, length: number): void {
    const inside =
      Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0;
    if (!inside || offset + length > this.size)
      fail(
        "unreadable",
        `Expected a TIFF whose parts lie within its ${this.size} bytes; one is said to end at byte ${offset + length}.`,
      );
  }

  async #exactly(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.#reader.read(offset, length, signal);
    if (bytes.length < length) tooShort();
    return bytes;
  }

  #block(number: number, signal: AbortSignal): Promise<Uint8Array> {
    const kept = this.#blocks.get(number);
    if (kept !== undefined) return kept;
    const offset = number * blockSize;
    const block = this.#reader.read(offset, Math.min(blockSize, this.size - offset), signal);
    // A read that failed or was given up must not be what the next one finds.
    block.catch(() => this.#blocks.delete(number));
    this.#blocks.set(number, block);
    if (this.#blocks.size > keptBlocks) {
      const oldest = this.#blocks.keys().next();
      if (!oldest.done) this.#blocks.delete(oldest.value);
    }
    return block;
  }
}

interface Run {
  readonly offset: number;
  length: number;
  readonly pieces: Piece[];
}

const joined = (pieces: readonly Piece[]): Run[] => {
  const runs: Run[] = [];
  for (const piece of [...pieces].sort((a, b) => a.offset - b.offset)) {
    const run = runs.at(-1);
    const end = piece.offset + piece.length;
    if (
      run !== undefined &&
      piece.offset <= run.offset + run.length + gapWorthReading &&
      end - run.offset <= longestRead
    ) {
      run.length = Math.max(run.length, end - run.offset);
      run.pieces.push(piece);
    } else if (piece.length > 0)
      runs.push({ offset: piece.offset, length: piece.length, pieces: [piece] });
  }
  return runs.reverse();
};

const dataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const tooShort = (): never =>
  fail("unreadable", "Expected the whole TIFF; its bytes ended before what they describe.");
