import type { ByteRange, RangeReader } from "./range-reader.ts";

/** Maximum gap between two merged ranges, in bytes. */
const maxGap = 16_384;
/** Maximum bytes of one merged read. */
const maxRead = 8_388_608;
/** Maximum number of concurrent reads of one call. */
const maxConcurrent = 8;

/** The parts of a reader that reading several ranges needs. */
export type RangesReader = Pick<RangeReader, "read" | "readMany">;

/** A range and the destination of its bytes. */
export interface PlacedRange extends ByteRange {
  /** Buffer of exactly that length; absent: anywhere. */
  readonly into?: Uint8Array;
}

/**
 * Reads several ranges of an object together: one result per range, in order, shorter only at the
 * end of the object. Uses the reader's own `readMany`; without one, neighbouring ranges are merged
 * and a few reads run at a time. The result of a range with `into` is (part of) that; others may
 * share memory. Throws as the reader does, and only once no read is running, since the caller may
 * then reuse `into`.
 */
export const readRanges = async (
  reader: RangesReader,
  ranges: readonly PlacedRange[],
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> => {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1) {
    const { offset, length, into } = only;
    return [placed(await reader.read(offset, length, signal, into), into)];
  }
  const results =
    reader.readMany === undefined
      ? await readMerged(reader, ranges, signal)
      : await reader.readMany(ranges, signal);
  return results.map((bytes, index) => placed(bytes, ranges[index]?.into));
};

const placed = (bytes: Uint8Array, into: Uint8Array | undefined): Uint8Array => {
  if (into === undefined || bytes.buffer === into.buffer) return bytes;
  into.set(bytes);
  return bytes.length === into.length ? into : into.subarray(0, bytes.length);
};

const readMerged = async (
  reader: RangesReader,
  ranges: readonly PlacedRange[],
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> => {
  const results: Uint8Array[] = ranges.map(() => empty);
  const runs = mergedRanges(ranges);
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let run = runs[next++]; run !== undefined; run = runs[next++]) {
      if (failures.length > 0) return;
      const [first = 0, another] = run.members;
      const into = another === undefined ? ranges[first]?.into : undefined;
      const bytes = await reader.read(run.offset, run.length, signal, into);
      for (const index of run.members) {
        const range = ranges[index];
        if (range === undefined) continue;
        const from = range.offset - run.offset;
        results[index] = bytes.subarray(from, from + range.length);
      }
    }
  };
  const workers = Array.from({ length: Math.min(maxConcurrent, runs.length) }, () =>
    work().catch((error: unknown) => failures.push(error)),
  );
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
  return results;
};

const empty = new Uint8Array(0);

interface MergedRange {
  readonly offset: number;
  length: number;
  /** Indices of the ranges that the run covers. */
  readonly members: number[];
}

/** Merges neighbouring ranges into reads, in order of position; empty ranges need none. */
const mergedRanges = (ranges: readonly ByteRange[]): MergedRange[] => {
  const runs: MergedRange[] = [];
  const sorted = ranges
    .map((range, index) => ({ ...range, index }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.offset - b.offset);
  for (const { offset, length, index } of sorted) {
    const run = runs.at(-1);
    const end = offset + length;
    if (
      run !== undefined &&
      offset <= run.offset + run.length + maxGap &&
      end - run.offset <= maxRead
    ) {
      run.length = Math.max(run.length, end - run.offset);
      run.members.push(index);
    } else runs.push({ offset, length, members: [index] });
  }
  return runs;
};
