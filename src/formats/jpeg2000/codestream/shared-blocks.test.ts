import { describe, expect, it } from "vitest";
import { random } from "../../../../test/random.ts";
import { BlockCache } from "./block-cache.ts";
import { KeptBlocks, unknown } from "./cached-blocks.ts";
import { maxSharedBytes, SharedBlocks } from "./shared-blocks.ts";

const tile = Int32Array.of(1, 2, 3, 4);
const setBytes = 8 * (maxSharedBytes + 40);

const bytesOf = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

/** What is stored of a block: its zero bit planes, its length and its bytes. */
const read = (blocks: SharedBlocks, number: number, key = tile) => {
  let found: readonly [number, number, Uint8Array] | undefined;
  const isSound = blocks.take(key, number, ({ missing, length }, bytes) => {
    found = [missing, length, bytes.slice()];
    return true;
  });
  return isSound ? found : undefined;
};

describe("shared blocks", () => {
  it("are seen by all that map the memory", () => {
    const memory = new ArrayBuffer(setBytes * 4);
    const [one, other] = [new SharedBlocks(memory), new SharedBlocks(memory)];
    expect(read(other, 7)).toBeUndefined();
    one.put(tile, 7, 3, bytesOf(100, 9));
    expect(read(other, 7)).toEqual([3, 100, bytesOf(100, 9)]);
    expect(read(other, 8)).toBeUndefined();
    for (const at of [0, 1, 2, 3]) expect(read(other, 7, tile.with(at, 99))).toBeUndefined();
  });

  it("are replaced when there is no room, the least recently used of a set first", () => {
    const blocks = new SharedBlocks(new ArrayBuffer(setBytes));
    for (let number = 0; number < 8; number++) blocks.put(tile, number, 0, bytesOf(16, number));
    expect(read(blocks, 0)).toEqual([0, 16, bytesOf(16, 0)]);
    for (let number = 8; number < 15; number++) blocks.put(tile, number, 0, bytesOf(16, number));
    const left = Array.from({ length: 15 }, (_, number) => number).filter((number) =>
      read(blocks, number),
    );
    expect(left).toEqual([0, 8, 9, 10, 11, 12, 13, 14]);
  });

  it("are not used if they change while they are copied", () => {
    const memory = new ArrayBuffer(setBytes);
    const [one, other] = [new SharedBlocks(memory), new SharedBlocks(memory)];
    one.put(tile, 0, 0, bytesOf(16, 1));
    const isSound = one.take(tile, 0, () => {
      for (let number = 1; number < 9; number++) other.put(tile, number, 0, bytesOf(16, 2));
      return true;
    });
    expect(isSound).toBe(false);
  });

  it("are neither read nor replaced while another process writes them", () => {
    const memory = new ArrayBuffer(setBytes);
    const blocks = new SharedBlocks(memory);
    blocks.put(tile, 0, 0, bytesOf(16, 1));
    const words = new Int32Array(memory);
    const head = Array.from({ length: 8 }, (_, way) => way * 10).find((at) => words[at] === 2) ?? 0;
    words[head] = 3;
    expect(read(blocks, 0)).toBeUndefined();
    for (let number = 1; number < 20; number++) blocks.put(tile, number, 0, bytesOf(16, 2));
    expect(words[head]).toBe(3);
    expect(read(blocks, 19)).toEqual([0, 16, bytesOf(16, 2)]);
  });

  it("are never mistaken for others", () => {
    const memory = new ArrayBuffer(setBytes * 2);
    const [one, other] = [new SharedBlocks(memory), new SharedBlocks(memory)];
    const dice = random(1);
    let found = 0;
    for (let turn = 0; turn < 5_000; turn++) {
      const number = dice.whole(0, 40);
      const length = 1 + number * 200;
      dice.one([one, other]).put(tile, number, number, bytesOf(length, number));
      const wanted = dice.whole(0, 40);
      const block = read(dice.one([one, other]), wanted);
      if (block === undefined) continue;
      const [missing, size, bytes] = block;
      expect([missing, size]).toEqual([wanted, 1 + wanted * 200]);
      // `toEqual` would take milliseconds for each.
      expect(Buffer.compare(bytes, bytesOf(size, wanted))).toBe(0);
      found++;
    }
    expect(found).toBeGreaterThan(1_000);
  });

  it("of too many bytes, or in too little memory, are not stored", () => {
    const blocks = new SharedBlocks(new ArrayBuffer(setBytes));
    blocks.put(tile, 1, 0, bytesOf(maxSharedBytes + 1, 1));
    expect(read(blocks, 1)).toBeUndefined();
    blocks.put(tile, 1, 0, bytesOf(maxSharedBytes, 1));
    expect(read(blocks, 1)).toBeDefined();
    const none = new SharedBlocks(new ArrayBuffer(setBytes - 1));
    none.put(tile, 1, 0, bytesOf(16, 1));
    expect(read(none, 1)).toBeUndefined();
  });
});

describe("a block cache", () => {
  const cacheBytes = 8 * (16_384 + 32);
  const setUp = () => {
    const memory = new ArrayBuffer(setBytes * 4);
    const cache = () => new BlockCache(cacheBytes, { shared: new SharedBlocks(memory) });
    return [cache(), cache()] as const;
  };

  it("finds what another process has decoded", () => {
    const [one, other] = setUp();
    const writing = one.begin(new KeptBlocks(100), tile);
    const at = writing.room(5, 64, 2) ?? 0;
    new Uint8Array(one.memory).fill(7, at, at + 64);
    writing.settle(true);
    const own = new KeptBlocks(100);
    const reading = other.begin(own, tile);
    const place = reading.find(5);
    expect(place).toBeGreaterThanOrEqual(0);
    expect(new Uint8Array(other.memory, place, 64)).toEqual(bytesOf(64, 7));
    expect(own.missingOf(5)).toBe(2);
    reading.settle(true);
    expect(other.begin(own).find(5)).toBe(place);
  });

  it("shares nothing of a job that failed, nor of tiles without a key", () => {
    const [one, other] = setUp();
    const failing = one.begin(new KeptBlocks(100), tile);
    failing.room(5, 64, 2);
    failing.settle(false);
    const keyless = one.begin(new KeptBlocks(100));
    keyless.room(6, 64, 2);
    keyless.settle(true);
    const reading = other.begin(new KeptBlocks(100), tile);
    expect([reading.find(5), reading.find(6)]).toEqual([unknown, unknown]);
  });

  it("forgets copies if the job that made them fails", () => {
    const [one, other] = setUp();
    const writing = one.begin(new KeptBlocks(100), tile);
    writing.room(5, 64, 2);
    writing.settle(true);
    const own = new KeptBlocks(100);
    const failing = other.begin(own, tile);
    expect(failing.find(5)).toBeGreaterThanOrEqual(0);
    failing.settle(false);
    expect(own.placeOf(5)).toBe(unknown);
  });
});
