import type { RangeReader } from "../../../core/range-reader.ts";
import { ByteWindow } from "../../containers/index.ts";
import type { PacketSpan } from "./tile-header.ts";

/** A sequence of bytes read on demand. */
export interface ByteSource {
  readonly length: number;
  /** At least `length` bytes from `offset` on, perhaps more; fewer only at the end. Read-only. */
  at(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes in memory. */
export const sourceOf = (bytes: Uint8Array): ByteSource => ({
  length: bytes.length,
  at: async (offset) => bytes.subarray(offset),
});

/**
 * The position in the file of a piece of the tile's bytes; shorter than requested where a span
 * ends.
 */
export const spanAt = (
  spans: readonly PacketSpan[],
  offset: number,
  length: number,
): Pick<PacketSpan, "offset" | "length"> => {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { start, length: bytes } = spans[middle] ?? nothing;
    if (start + bytes <= offset) low = middle + 1;
    else high = middle;
  }
  const span = spans[low];
  if (span === undefined) return nothing;
  const within = offset - span.start;
  return { offset: span.offset + within, length: Math.min(length, span.length - within) };
};

const nothing: PacketSpan = { start: 0, offset: 0, length: 0 };

/** The bytes of all spans, one span after another. */
export const joined = (
  spans: readonly PacketSpan[],
  reader: RangeReader,
  signal: AbortSignal,
): ByteSource => {
  const window = new ByteWindow(reader, Number.POSITIVE_INFINITY, signal);
  return {
    length: endOf(spans),
    async at(offset, length) {
      const first = spanAt(spans, offset, Number.POSITIVE_INFINITY);
      const wanted = Math.min(length, first.length);
      const bytes = (await window.at(first.offset, wanted)).subarray(0, first.length);
      if (bytes.length >= length || bytes.length < first.length) return bytes;
      const rest = spanAt(spans, offset + first.length, length - first.length);
      if (rest.length === 0) return bytes;
      // Against the specification, a packet may continue in the next part.
      const whole = bytes.slice();
      return Buffer.concat([
        whole,
        (await window.at(rest.offset, rest.length)).subarray(0, rest.length),
      ]);
    },
  };
};

/** Total bytes of all spans. */
export const endOf = (spans: readonly PacketSpan[]): number => {
  const { start, length } = spans.at(-1) ?? nothing;
  return start + length;
};
