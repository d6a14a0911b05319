import { fail } from "../../../core/errors.ts";
import type { ByteRange } from "../../../core/range-reader.ts";
import { type Effect, type ReadRange, read, type Steps } from "../../../core/steps.ts";

/** In bytes. */
export const blockSize = 65_536;
/** Block size of files whose reads cost a request each, in bytes. */
export const farBlockSize = 32_768;
const keptBlocks = 32;

/**
 * The bytes of a TIFF file by position, in its byte order; throws for anything outside the file.
 */
export class TiffBytes {
  /** Length of the file in bytes. */
  readonly size: number;
  readonly littleEndian: boolean;
  /** In bytes. */
  readonly blockSize: number;
  /** Created for the first block: files whose structure is cached read none. */
  #blocks: Map<number, Uint8Array> | undefined;

  /** `start` is the beginning of the file, if read already: whole blocks, or all of it. */
  constructor(
    size: number,
    littleEndian: boolean,
    {
      start,
      blockSize: side = blockSize,
    }: { readonly start?: Uint8Array; readonly blockSize?: number } = {},
  ) {
    this.size = size;
    this.littleEndian = littleEndian;
    this.blockSize = side;
    if (start === undefined) return;
    this.#blocks = new Map();
    for (let at = 0; at < start.length; at += side)
      this.#blocks.set(at / side, start.subarray(at, at + side));
  }

  /** A few megabytes at most: directories and arrays, read through a small cache of blocks. */
  *view(offset: number, length: number): Steps<DataView> {
    const [view = emptyView] = yield* this.views([{ offset, length }]);
    return view;
  }

  /** As `view`, of several ranges, read together. */
  *views(wanted: readonly ByteRange[]): Steps<readonly DataView[]> {
    for (const range of wanted) this.#check(range);
    const long = wanted.filter(({ length }) => length > maxByBlocks);
    const numbers = new Set(
      wanted
        .filter(({ length }) => length <= maxByBlocks)
        .flatMap((range) => blocksOf(range, this.blockSize)),
    );
    // Retained here, whatever the cache evicts meanwhile.
    const blocks = new Map<number, Uint8Array>();
    for (const number of numbers) {
      const kept = this.#blocks?.get(number);
      if (kept !== undefined) blocks.set(number, kept);
    }
    const missing = [...numbers].filter((number) => !blocks.has(number));
    const found = yield* read([...missing.map((number) => this.#rangeOf(number)), ...long]);
    for (const [index, number] of missing.entries()) {
      const block = found[index] ?? noBlock;
      blocks.set(number, block);
      this.#keep(number, block);
    }
    let next = missing.length;
    return wanted.map((range) =>
      dataView(
        range.length > maxByBlocks
          ? whole(found[next++] ?? noBlock, range.length)
          : partOf(blocks, range, this.blockSize),
      ),
    );
  }

  /** Whether the beginning of a range is cached. */
  holds(offset: number): boolean {
    return this.#blocks?.has(Math.floor(offset / this.blockSize)) ?? false;
  }

  /** Exactly the bytes of the ranges, read together; they may share memory. */
  *read(ranges: readonly ReadRange[]): Steps<readonly Uint8Array[]> {
    for (const range of ranges) this.#check(range);
    // Avoids a generator on every tile's path.
    const effect: Effect = { kind: "read", ranges };
    const found = (yield effect) as readonly Uint8Array[];
    for (let index = 0; index < ranges.length; index++)
      whole(found[index] ?? noBlock, ranges[index]?.length ?? 0);
    return found;
  }

  #check({ offset, length }: ByteRange): void {
    const inside =
      Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0;
    if (!inside || offset + length > this.size)
      fail(
        "unreadable",
        `Corrupt or truncated TIFF of ${this.size} bytes: one of its parts would end at byte ${offset + length}.`,
      );
  }

  #rangeOf(block: number): ByteRange {
    const offset = block * this.blockSize;
    return { offset, length: Math.min(this.blockSize, this.size - offset) };
  }

  #keep(number: number, block: Uint8Array): void {
    this.#blocks ??= new Map();
    this.#blocks.set(number, block);
    if (this.#blocks.size <= keptBlocks) return;
    const oldest = this.#blocks.keys().next();
    if (!oldest.done) this.#blocks.delete(oldest.value);
  }
}

/** Longer ranges bypass the cache. */
const maxByBlocks = 4 * blockSize;

const noBlock = new Uint8Array(0);
const emptyView = new DataView(new ArrayBuffer(0));

/** The numbers of the blocks that a range touches; an empty range touches the one it is in. */
const blocksOf = ({ offset, length }: ByteRange, side: number): number[] => {
  const first = Math.floor(offset / side);
  const last = Math.floor((offset + Math.max(length, 1) - 1) / side);
  return first === last
    ? [first]
    : Array.from({ length: last - first + 1 }, (_, index) => first + index);
};

const partOf = (
  blocks: ReadonlyMap<number, Uint8Array>,
  { offset, length }: ByteRange,
  side: number,
): Uint8Array => {
  const [first = 0, ...further] = blocksOf({ offset, length }, side);
  const start = offset - first * side;
  if (further.length === 0)
    return whole((blocks.get(first) ?? noBlock).subarray(start, start + length), length);
  const bytes = new Uint8Array(length);
  for (const number of [first, ...further]) {
    const block = blocks.get(number) ?? noBlock;
    const from = number * side;
    bytes.set(
      block.subarray(Math.max(0, offset - from), offset + length - from),
      Math.max(0, from - offset),
    );
    if (from + block.length < Math.min(offset + length, from + side)) tooShort();
  }
  return bytes;
};

const whole = (bytes: Uint8Array, length: number): Uint8Array =>
  bytes.length < length ? tooShort() : bytes;

const dataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const tooShort = (): never => fail("unreadable", "Truncated TIFF.");
