import { expect, test } from "vitest";
import { BlockCache, keptBytes } from "./block-cache.ts";
import { isStored, notifyStored } from "./cache-pages.ts";
import { KeptBlocks, nothing, unknown } from "./cached-blocks.ts";

const pages = (count: number): number => count * (16_384 + 64);

/** Stores blocks of 16,384 bytes; returns their places. */
const leave = (cache: BlockCache, own: KeptBlocks, ...numbers: readonly number[]) => {
  const keeping = cache.begin(own);
  const places = numbers.map((number) => keeping.room(number, 16_384, 3));
  keeping.settle(true);
  return places;
};

/** Those of the numbers below 100 that are cached. */
const keptOf = (own: KeptBlocks): number[] =>
  Array.from({ length: 100 }, (_, number) => number).filter((number) => own.placeOf(number) >= 0);

test("blocks are found where stored, and the least recently used are evicted first", () => {
  const cache = new BlockCache(pages(4));
  const own = new KeptBlocks(2 ** 21);
  const [first] = leave(cache, own, 1);
  for (const number of [2, 3, 4]) leave(cache, own, number);
  const reading = cache.begin(own);
  expect(reading.find(1)).toBe(first);
  reading.settle(true);
  leave(cache, own, 5);
  expect(keptOf(own)).toEqual([1, 3, 4, 5]);
});

test("small blocks share a page and do not overlap", () => {
  const cache = new BlockCache(pages(8));
  const keeping = cache.begin(new KeptBlocks(2 ** 21));
  const places = [100, 8_192, 4_000, 5_000].map((bytes, number) => keeping.room(number, bytes, 0));
  expect(places).toEqual([16, 160, 8_384, pages(1) + 16]);
});

test("blocks follow the memory that kernels work in", () => {
  const cache = new BlockCache(pages(5) + 65_536, { workspace: 65_536 });
  const own = new KeptBlocks(2 ** 21);
  const [first = 0] = leave(cache, own, 1);
  expect(first).toBe(65_536 + 16);
  const { memory, bytes } = cache.workspace ?? {};
  expect(bytes).toBe(65_536);
  expect(memory?.buffer).toBe(cache.memory);
  expect(cache.memory.byteLength).toBeGreaterThanOrEqual(pages(5) + 65_536);
  const reading = cache.begin(own);
  expect(reading.find(1)).toBe(first);
  for (let number = 2; number < 20; number++) leave(cache, own, number);
  expect(keptOf(own)).toContain(1);
  reading.settle(true);
});

test("pages that a job reads or writes are not reused before it is settled", () => {
  const cache = new BlockCache(pages(4));
  const own = new KeptBlocks(2 ** 21);
  leave(cache, own, 1);
  const reading = cache.begin(own);
  const at = reading.find(1);
  for (let number = 2; number < 20; number++) expect(leave(cache, own, number)).not.toContain(at);
  expect(keptOf(own)).toContain(1);
  reading.settle(true);
  for (let number = 2; number < 20; number++) leave(cache, own, number);
  expect(keptOf(own)).not.toContain(1);
});

test("blocks of a failed job are absent, and their room is free again", () => {
  const cache = new BlockCache(pages(4));
  const own = new KeptBlocks(2 ** 21);
  const keeping = cache.begin(own);
  expect(keeping.room(1, 16_384, 0)).toBe(16);
  keeping.settle(false);
  expect(cache.begin(own).find(1)).toBe(unknown);
  expect(leave(cache, own, 2)).toEqual([16]);
});

test("a single job takes no more than a quarter", () => {
  const cache = new BlockCache(pages(8));
  const places = leave(cache, new KeptBlocks(2 ** 21), 1, 2, 3, 4);
  expect(places).toEqual([16, pages(1) + 16, unknown, unknown]);
});

test("a cache without room keeps nothing", () => {
  expect(leave(new BlockCache(0), new KeptBlocks(2 ** 21), 1)).toEqual([unknown]);
});

test("few bit planes fit 16 bits; HT blocks may have one more than their band", () => {
  const ht = 64;
  expect([keptBytes(16, 2, 0), keptBytes(16, 1, 0)]).toEqual([2, 4]);
  expect([keptBytes(13, 12, ht), keptBytes(14, 13, ht)]).toEqual([2, 4]);
});

test("stored blocks include their bit planes; an empty block counts until it is evicted", () => {
  const own = new KeptBlocks(2 ** 21);
  leave(new BlockCache(pages(4)), own, 7);
  own.leaveOut(7);
  own.leaveOut(8);
  expect([own.placeOf(7), own.missingOf(7), own.placeOf(8), own.placeOf(9)]).toEqual([
    16,
    3,
    nothing,
    unknown,
  ]);
  const { bytes } = own;
  for (let number = 0; number < 2 ** 20; number += 64) own.leaveOut(number + 8);
  expect(own.bytes).toBeLessThan(bytes + 2 ** 21);
  expect([own.placeOf(7), own.placeOf(2 ** 20 - 56)]).toEqual([16, nothing]);
});

test("blocks of a tile with few blocks are all known together, and evicted one by one", () => {
  const cache = new BlockCache(pages(4));
  const own = new KeptBlocks(101);
  expect(own.bytes).toBe(0);
  for (const number of [0, 100]) leave(cache, own, number);
  own.leaveOut(50);
  const { bytes } = own;
  expect([keptOf(own), own.placeOf(50), own.missingOf(100)]).toEqual([[0], nothing, 3]);
  for (const number of [1, 2, 3, 4]) leave(cache, own, number);
  expect([keptOf(own), own.placeOf(100), own.bytes]).toEqual([[1, 2, 3, 4], unknown, bytes]);
});

test("a block stored twice stays when the older page is evicted", () => {
  const cache = new BlockCache(pages(4));
  const own = new KeptBlocks(2 ** 21);
  const [older] = leave(cache, own, 1);
  const [newer] = leave(cache, own, 1);
  for (const number of [2, 3, 4]) leave(cache, own, number);
  expect([older, own.placeOf(1), keptOf(own)]).toEqual([16, newer, [1, 2, 3, 4]]);
  leave(cache, own, 5);
  expect(own.placeOf(1)).toBe(unknown);
});

test("a block that a job will store is announced, and readers can tell whether it has arrived", () => {
  const cache = new BlockCache(pages(4));
  const own = new KeptBlocks(2 ** 21);
  const leaving = cache.begin(own);
  const at = leaving.room(1, 16_384, 3);
  const other = cache.begin(own);
  expect([other.find(1), other.findPromised(1), other.findPromised(2)]).toEqual([
    unknown,
    at,
    unknown,
  ]);
  const words = new Int32Array(cache.memory);
  expect(isStored(words, at)).toBe(false);
  notifyStored(words, at);
  expect(isStored(words, at)).toBe(true);
  leaving.settle(true);
  expect([other.find(1), other.findPromised(1)]).toEqual([at, unknown]);
  other.settle(true);
});

test("blocks announced by a failed job stay unchanged until all readers are done", () => {
  const cache = new BlockCache(pages(4));
  const own = new KeptBlocks(2 ** 21);
  const leaving = cache.begin(own);
  const at = leaving.room(1, 16_384, 3);
  const other = cache.begin(own);
  expect(other.findPromised(1)).toBe(at);
  leaving.settle(false);
  expect([own.placeOf(1), own.promisedPlaceOf(1)]).toEqual([unknown, unknown]);
  for (let number = 2; number < 20; number++) expect(leave(cache, own, number)).not.toContain(at);
  other.settle(true);
  const places = Array.from({ length: 8 }, (_, number) => leave(cache, own, 50 + number)).flat();
  expect(places).toContain(at);
});
