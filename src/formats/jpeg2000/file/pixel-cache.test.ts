import { expect, test } from "vitest";
import { random } from "../../../../test/random.ts";
import type { Rect } from "../../../core/geometry.ts";
import type { Jp2Level } from "./levels.ts";
import { type LevelPixels, PixelCache } from "./pixel-cache.ts";

const level: Jp2Level = {
  reduce: 1,
  size: { width: 1_500, height: 1_100 },
  tile: { width: 512, height: 300 },
};
const of = (picture: object = {}): LevelPixels => ({ picture, level, samples: 3 });

/** The expected pixel of an image at a position. */
const valueAt = (x: number, y: number, sample: number): number =>
  (x * 7 + y * 13 + sample * 101) % 251;

const pixelsOf = ({ x, y, width, height }: Rect): Uint8Array =>
  Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const pixel = Math.floor(at / 3);
    return valueAt(x + (pixel % width), y + Math.floor(pixel / width), at % 3);
  });

/** `toEqual` would compare every sample separately. */
const expectSame = (values: Uint8Array | undefined, expected: Uint8Array): void => {
  expect(values?.length).toBe(expected.length);
  expect(Buffer.compare(values ?? Buffer.of(), expected)).toBe(0);
};

/** Decodes, and records what. */
const decoder = () => {
  const regions: Rect[] = [];
  const decode = async (region: Rect): Promise<Uint8Array> => {
    regions.push(region);
    return pixelsOf(region);
  };
  return { regions, decode };
};

const { signal } = new AbortController();
const tile = (x: number, y: number, width = 256, height = 300): Rect => ({ x, y, width, height });

test("regions equal a direct decode whatever is cached, and only missing parts are decoded", async () => {
  const kept = new PixelCache(2_000_000);
  const one = of();
  const dice = random(3);
  const { regions, decode } = decoder();
  for (let turn = 0; turn < 60; turn++) {
    const x = dice.whole(0, level.size.width - 1);
    const y = dice.whole(0, level.size.height - 1);
    const width = dice.whole(1, Math.min(600, level.size.width - x));
    const height = dice.whole(1, Math.min(600, level.size.height - y));
    const region = { x, y, width, height };
    const { values } = await kept.get(one, region, decode, signal);
    expect(Buffer.compare(values, pixelsOf(region))).toBe(0);
    expect(kept.bytes).toBeLessThanOrEqual(2_000_000);
  }
  const decoded = regions.reduce((sum, { width, height }) => sum + width * height, 0);
  expect(decoded).toBeGreaterThan(0);
  expect(kept.bytes).toBeGreaterThan(0);
});

test("decoded regions are found again, in parts too, and never for another image", async () => {
  const kept = new PixelCache(10_000_000);
  const [one, other] = [of(), of()];
  const { regions, decode } = decoder();
  await kept.get(one, tile(256, 300, 512), decode, signal);
  expect(regions).toEqual([tile(256, 300, 512)]);
  await kept.get(one, tile(300, 310, 400, 200), decode, signal);
  expect(regions.length).toBe(1);
  await kept.get(one, tile(256, 300, 768), decode, signal);
  expect(regions.at(-1)).toEqual(tile(768, 300));
  expect(kept.find(other, tile(256, 300))).toBeUndefined();
  expect(kept.tally).toEqual({ hits: 1, misses: 2 });
  kept.clear();
  expect([kept.bytes, kept.find(one, tile(256, 300))]).toEqual([0, undefined]);
});

test("chunks at the edges of the level are stored as they are", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const corner = tile(1_280, 900, 220, 200);
  await kept.get(one, corner, async (region) => pixelsOf(region), signal);
  expectSame(kept.find(one, corner)?.values, pixelsOf(corner));
});

/** Whether a region was requested before. */
const isAskedAgain = (kept: PixelCache, of: LevelPixels, region: Rect): boolean => {
  const before = kept.isWanted(of, region);
  kept.noteAsked(of, region);
  return before;
};

test("a repeated request is worth caching, and cached; another region, level or image is not", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const asked = [tile(0, 0), tile(0, 0), tile(0, 0, 255), tile(256, 0), tile(0, 0)];
  const again = asked.map((region) => isAskedAgain(kept, one, region));
  expect(again).toEqual([false, true, false, false, true]);
  expect(isAskedAgain(kept, of(), tile(0, 0))).toBe(false);
  const other = { ...one, level: { ...level, reduce: 2 } };
  expect(isAskedAgain(kept, other, tile(0, 0))).toBe(false);
  expect(isAskedAgain(new PixelCache(0), one, tile(0, 0))).toBe(false);
  const forget = (): void => {
    for (let x = 0; x < 102; x++) isAskedAgain(kept, one, tile(x, 0, 1));
  };
  forget();
  expect(isAskedAgain(kept, one, tile(0, 0))).toBe(false);
  await kept.get(one, tile(0, 0), decoder().decode, signal);
  forget();
  expect(isAskedAgain(kept, one, tile(0, 0))).toBe(true);
});

test("large regions are decoded directly, and evict nothing", async () => {
  const kept = new PixelCache(1_000_000);
  const one = of();
  const { regions, decode } = decoder();
  await kept.get(one, tile(0, 0), decode, signal);
  const { bytes } = kept;
  await kept.get(one, tile(0, 0, 1_500, 1_100), decode, signal);
  expect(regions).toEqual([tile(0, 0), tile(0, 0, 1_500, 1_100)]);
  expect(kept.bytes).toBe(bytes);
  expectSame(kept.find(one, tile(0, 0))?.values, pixelsOf(tile(0, 0)));
});

test("a region beyond the level is decoded directly and not cached", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const { regions, decode } = decoder();
  const beyond = tile(1_400, 1_000, 200, 200);
  for (let turn = 0; turn < 2; turn++) {
    const { values } = await kept.get(one, beyond, decode, signal);
    expectSame(values, pixelsOf(beyond));
  }
  expect([regions, kept.bytes, kept.find(one, beyond)]).toEqual([[beyond, beyond], 0, undefined]);
});

test("fewer samples than a region has are an error", async () => {
  const kept = new PixelCache(10_000_000);
  const short = async (): Promise<Uint8Array> => new Uint8Array(10);
  const outcome = kept.get(of(), tile(0, 0), short, signal);
  await expect(outcome).rejects.toMatchObject({ failure: "internal" });
  expect(kept.bytes).toBe(0);
});

test("a cache without room stores nothing", async () => {
  const kept = new PixelCache(0);
  const one = of();
  const { regions, decode } = decoder();
  for (let turn = 0; turn < 2; turn++) await kept.get(one, tile(0, 0), decode, signal);
  expect([regions.length, kept.bytes]).toEqual([2, 0]);
});

/** A decoder that waits until told to continue, and stops where its signal aborts. */
const held = () => {
  const begun: { readonly signal: AbortSignal; readonly end: (error?: Error) => void }[] = [];
  const decode = (region: Rect, own: AbortSignal): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      own.addEventListener("abort", () => reject(own.reason), { once: true });
      begun.push({
        signal: own,
        end: (error) => (error ? reject(error) : resolve(pixelsOf(region))),
      });
    });
  return { begun, decode };
};

test("a chunk is stored and returned as decoded, marked as shared", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const decoded = pixelsOf(tile(0, 0));
  const first = await kept.get(one, tile(0, 0), async () => decoded, signal);
  const again = await kept.get(one, tile(0, 0), decoder().decode, signal);
  for (const pixels of [first, again, kept.find(one, tile(0, 0))]) {
    expect(pixels?.values).toBe(decoded);
    expect(pixels?.isShared).toBe(true);
  }
});

test("a chunk within larger memory is copied, so that no more is held than counted", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const decoded = pixelsOf(tile(0, 0));
  const larger = new Uint8Array(decoded.length + 1_000);
  larger.set(decoded, 1_000);
  const first = await kept.get(one, tile(0, 0), async () => larger.subarray(1_000), signal);
  expect(first.isShared).toBe(false);
  larger.fill(0);
  const found = kept.find(one, tile(0, 0));
  expect(found?.values.buffer.byteLength).toBe(decoded.length);
  expectSame(found?.values, decoded);
});

test("pixels that are not shared may be changed without changing the cache", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const { decode } = decoder();
  for (const region of [tile(0, 0, 512), tile(0, 0, 600), tile(10, 10, 20, 20)]) {
    const { values, isShared } = await kept.get(one, region, decode, signal);
    expect(isShared).toBe(false);
    expectSame(values, pixelsOf(region));
    values.fill(0);
  }
  expectSame(kept.find(one, tile(0, 0))?.values, pixelsOf(tile(0, 0)));
  expectSame(kept.find(one, tile(256, 0))?.values, pixelsOf(tile(256, 0)));
});

test("concurrent callers share one decode, and are told so", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const { begun, decode } = held();
  const region = tile(10, 10, 500);
  const all = Array.from({ length: 3 }, () => kept.get(one, region, decode, signal));
  begun[0]?.end();
  const pixels = await Promise.all(all);
  expect(begun.length).toBe(1);
  for (const { values, isShared } of pixels) {
    expect(isShared).toBe(true);
    expect(Buffer.compare(values, pixelsOf(region))).toBe(0);
  }
});

test("an aborted caller does not end the work of others; the last one does", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const { begun, decode } = held();
  const [first, second] = [new AbortController(), new AbortController()];
  const leaving = kept.get(one, tile(0, 0), decode, first.signal);
  const staying = kept.get(one, tile(0, 0), decode, second.signal);
  first.abort(new Error("gone"));
  await expect(leaving).rejects.toThrow("gone");
  expect(begun[0]?.signal.aborted).toBe(false);
  begun[0]?.end();
  expectSame((await staying).values, pixelsOf(tile(0, 0)));
  const alone = kept.get(one, tile(256, 0), decode, second.signal);
  second.abort(new Error("gone, too"));
  await expect(alone).rejects.toThrow("gone, too");
  expect(begun[1]?.signal.aborted).toBe(true);
  expect(kept.find(one, tile(256, 0))).toBeUndefined();
});

test("others start again where the work fails because its first caller was aborted", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const { begun, decode } = held();
  const first = new AbortController();
  const leaving = kept.get(one, tile(0, 0), decode, first.signal);
  const staying = kept.get(one, tile(0, 0), decode, signal);
  first.abort(new Error("gone"));
  await expect(leaving).rejects.toThrow("gone");
  begun[0]?.end(new Error("the file is closed"));
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.end();
  expectSame((await staying).values, pixelsOf(tile(0, 0)));
});

test("an error reaches all waiters and is not cached", async () => {
  const kept = new PixelCache(10_000_000);
  const one = of();
  const { begun, decode } = held();
  const both = [1, 2].map(() => kept.get(one, tile(0, 0), decode, signal));
  begun[0]?.end(new Error("damaged"));
  for (const each of both) await expect(each).rejects.toThrow("damaged");
  expect(begun.length).toBe(1);
  const again = kept.get(one, tile(0, 0), decode, signal);
  begun[1]?.end();
  expectSame((await again).values, pixelsOf(tile(0, 0)));
});
