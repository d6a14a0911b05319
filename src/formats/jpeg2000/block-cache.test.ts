import { expect, test } from "vitest";
import { BlockCache, type KeptBlocks, keptBytes } from "./block-cache.ts";

const pages = (count: number): number => count * 16_384;

/** Leaves blocks of 16,384 bytes; answers where they are. */
const leave = (cache: BlockCache, own: KeptBlocks, ...numbers: readonly number[]) => {
  const keeping = cache.begin(own);
  const places = numbers.map((number) => keeping.room(number, 16_384));
  keeping.settle(true);
  return places;
};

test("blocks are found where they were left, and the least recently used go first", () => {
  const cache = new BlockCache(pages(4));
  const own: KeptBlocks = new Map();
  const [first] = leave(cache, own, 1);
  for (const number of [2, 3, 4]) leave(cache, own, number);
  const reading = cache.begin(own);
  expect(reading.find(1)).toBe(first);
  reading.settle(true);
  leave(cache, own, 5);
  expect([...own.keys()].sort()).toEqual([1, 3, 4, 5]);
});

test("small blocks share a page and do not overlap", () => {
  const cache = new BlockCache(pages(8));
  const keeping = cache.begin(new Map());
  const places = [100, 8_192, 4_000, 5_000].map((bytes, number) => keeping.room(number, bytes));
  expect(places).toEqual([0, 112, 8_304, pages(1)]);
});

test("what a job reads or writes is not given to others before it is settled", () => {
  const cache = new BlockCache(pages(4));
  const own: KeptBlocks = new Map();
  leave(cache, own, 1);
  const reading = cache.begin(own);
  const at = reading.find(1);
  for (let number = 2; number < 20; number++) expect(leave(cache, own, number)).not.toContain(at);
  expect(own.has(1)).toBe(true);
  reading.settle(true);
  for (let number = 2; number < 20; number++) leave(cache, own, number);
  expect(own.has(1)).toBe(false);
});

test("what a job that failed was to leave is not there, and its room is free again", () => {
  const cache = new BlockCache(pages(4));
  const own: KeptBlocks = new Map();
  const keeping = cache.begin(own);
  expect(keeping.room(1, 16_384)).toBe(0);
  keeping.settle(false);
  expect(cache.begin(own).find(1)).toBeUndefined();
  expect(leave(cache, own, 2)).toEqual([0]);
});

test("a single job takes no more than a quarter", () => {
  const cache = new BlockCache(pages(8));
  const places = leave(cache, new Map(), 1, 2, 3, 4);
  expect(places).toEqual([0, pages(1), undefined, undefined]);
});

test("a cache without room keeps nothing", () => {
  expect(leave(new BlockCache(0), new Map(), 1)).toEqual([undefined]);
});

test("few bit planes fit 16 bits; of HT blocks they say nothing", () => {
  expect([keptBytes(14, 0), keptBytes(15, 0), keptBytes(1, 64)]).toEqual([2, 4, 4]);
});
