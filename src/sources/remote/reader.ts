import { Readable } from "node:stream";
import type { ByteRange, RangeReader } from "../../core/range-reader.ts";
import { type Blocks, blockBytes, type FetchBlocks } from "./blocks.ts";

/** The object whose blocks are read. */
export interface RemoteBytes {
  /** In bytes. */
  readonly size: number;
  /** As in `RangeReader`. */
  readonly identity: string;
  /** As returned by `Blocks.idOf`. */
  readonly id: number;
  readonly blocks: Blocks;
  readonly fetch: FetchBlocks;
}

/** Bytes that a stream reads at a time. */
const streamed = 1_048_576;

/** Reads a remote object by ranges; the blocks that several ranges touch are fetched together. */
export const remoteReader = ({ size, identity, id, blocks, fetch }: RemoteBytes): RangeReader => {
  const clip = ({ offset, length }: ByteRange): ByteRange => {
    const from = Math.min(Math.max(0, offset), size);
    return { offset: from, length: Math.max(0, Math.min(length, size - from)) };
  };

  const blocksOf = (
    clipped: readonly ByteRange[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Uint8Array>> => {
    signal.throwIfAborted();
    const numbers = new Set<number>();
    for (const range of clipped) for (const number of numbersOf(range)) numbers.add(number);
    const ascending = [...numbers].sort((one, other) => one - other);
    return blocks.read(id, ascending, { fetch, signal });
  };

  const readMany = async (
    ranges: readonly ByteRange[],
    signal: AbortSignal,
  ): Promise<readonly Uint8Array[]> => {
    const clipped = ranges.map(clip);
    const found = await blocksOf(clipped, signal);
    return clipped.map((range) => assembled(range, found));
  };

  const read: RangeReader["read"] = async (offset, length, signal = never(), into) => {
    const [bytes = new Uint8Array(0)] = await readMany([{ offset, length }], signal);
    if (into === undefined || bytes.length !== length) return bytes;
    into.set(bytes);
    return into;
  };

  return {
    size,
    identity,
    read,
    readMany,
    // Without memory for blocks, they would be fetched twice.
    ...(blocks.maxBytes === 0
      ? {}
      : {
          isFar: true as const,
          prefetch: async (ranges: readonly ByteRange[], signal: AbortSignal) => {
            await blocksOf(ranges.map(clip), signal);
          },
        }),
    stream: (signal = never()) =>
      Readable.from(
        pieces(size, (offset, length) => read(offset, length, signal)),
        {
          objectMode: false,
          signal,
        },
      ),
    async close() {},
  };
};

async function* pieces(
  size: number,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += streamed) yield await read(at, Math.min(streamed, size - at));
}

function* numbersOf({ offset, length }: ByteRange): Generator<number> {
  if (length === 0) return;
  const last = Math.floor((offset + length - 1) / blockBytes);
  for (let number = Math.floor(offset / blockBytes); number <= last; number++) yield number;
}

/** A copy of a range in memory of its own. */
const assembled = (range: ByteRange, blocks: ReadonlyMap<number, Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(range.length).buffer);
  for (const number of numbersOf(range)) {
    const block = blocks.get(number) ?? new Uint8Array(0);
    const from = Math.max(range.offset, number * blockBytes);
    const to = Math.min(range.offset + range.length, number * blockBytes + block.length);
    bytes.set(
      block.subarray(from - number * blockBytes, to - number * blockBytes),
      from - range.offset,
    );
  }
  return bytes;
};

const never = (): AbortSignal => new AbortController().signal;
