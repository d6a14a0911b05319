import { describe, expect, it } from "vitest";
import type { ByteRange } from "./range-reader.ts";
import { type RangesReader, readRanges } from "./read-ranges.ts";

const object = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
const { signal } = new AbortController();

const recording = (): RangesReader & { readonly reads: ByteRange[] } => {
  const reads: ByteRange[] = [];
  return {
    reads,
    async read(offset, length) {
      reads.push({ offset, length });
      return object.slice(offset, offset + length);
    },
  };
};

const expected = ({ offset, length }: ByteRange): Uint8Array =>
  object.slice(offset, offset + length);

describe("readRanges", () => {
  it("returns ranges in the requested order, and reads neighbours together", async () => {
    const reader = recording();
    const ranges = [
      { offset: 90_000, length: 10 },
      { offset: 500, length: 100 },
      { offset: 0, length: 20 },
      { offset: 700, length: 0 },
    ];
    const results = await readRanges(reader, ranges, signal);
    expect(results.map((bytes) => Uint8Array.from(bytes))).toEqual(ranges.map(expected));
    expect(reader.reads).toEqual([
      { offset: 0, length: 600 },
      { offset: 90_000, length: 10 },
    ]);
  });

  it("returns overlapping and repeated ranges from one read", async () => {
    const reader = recording();
    const ranges = [
      { offset: 10, length: 100 },
      { offset: 50, length: 10 },
      { offset: 10, length: 100 },
    ];
    const results = await readRanges(reader, ranges, signal);
    expect(results.map((bytes) => Uint8Array.from(bytes))).toEqual(ranges.map(expected));
    expect(reader.reads).toHaveLength(1);
  });

  it("returns fewer bytes at the object's end", async () => {
    const results = await readRanges(
      recording(),
      [
        { offset: 99_990, length: 20 },
        { offset: 99_999, length: 5 },
      ],
      signal,
    );
    expect(results.map(({ length }) => length)).toEqual([10, 1]);
  });

  it("writes bytes to the given memory, however they were read", async () => {
    const at = (offset: number, length: number) => ({
      offset,
      length,
      into: new Uint8Array(length),
    });
    for (const ranges of [[at(7, 20)], [at(7, 20), at(50_000, 5), at(99_999, 9)]]) {
      const results = await readRanges(recording(), ranges, signal);
      for (const [index, { into, ...range }] of ranges.entries()) {
        const wanted = expected(range);
        expect(results[index]?.buffer).toBe(into.buffer);
        expect(results[index]).toEqual(wanted);
        expect(into.subarray(0, wanted.length)).toEqual(wanted);
      }
    }
  });

  it("runs at most eight reads at a time", async () => {
    let running = 0;
    let max = 0;
    const reader: RangesReader = {
      async read() {
        running++;
        max = Math.max(max, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        return new Uint8Array(1);
      },
    };
    const ranges = Array.from({ length: 20 }, (_, index) => ({
      offset: index * 1_000_000,
      length: 1,
    }));
    await readRanges(reader, ranges, signal);
    expect(max).toBe(8);
  });

  it("passes several ranges to a reader that merges them itself", async () => {
    const asked: (readonly ByteRange[])[] = [];
    const reader: RangesReader = {
      ...recording(),
      async readMany(ranges) {
        asked.push(ranges);
        return ranges.map(expected);
      },
    };
    const ranges = [
      { offset: 5, length: 5 },
      { offset: 1, length: 2 },
    ];
    expect(await readRanges(reader, ranges, signal)).toEqual(ranges.map(expected));
    expect(asked).toEqual([ranges]);
  });

  it("fails as the reader does", async () => {
    const reader: RangesReader = {
      async read(offset) {
        if (offset > 0) throw new Error("gone");
        return new Uint8Array(1);
      },
    };
    const ranges = [
      { offset: 0, length: 1 },
      { offset: 50_000, length: 1 },
    ];
    await expect(readRanges(reader, ranges, signal)).rejects.toThrow("gone");
  });
});
