import { beforeAll, describe, expect, it } from "vitest";
import { type Random, random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { CachedParts, type CacheViews, cacheViews } from "./cached-parts.ts";
import type { BlockPart } from "./ht-block.ts";
import { type CodestreamKernel, KernelRoom, newCodestreamKernel } from "./kernel.ts";

let kernel: CodestreamKernel;
let room: KernelRoom;
let parts: CachedParts;

beforeAll(async () => {
  kernel = newCodestreamKernel(await compileWasm("jpeg2000"));
  room = new KernelRoom(kernel, kernel.base());
  parts = new CachedParts(room);
});

/** Stores coefficients in a cache at a place. */
const kept = (values: Int32Array, at: number, bytes: 2 | 4): CacheViews => {
  const cache = cacheViews(new SharedArrayBuffer(32_768));
  if (bytes === 2) cache.shorts.set(values, at / 2);
  else cache.longs.set(values, at / 4);
  return cache;
};

/** The kernel's result for a whole block, as raw 32-bit values. */
const whole = (values: Int32Array, width: number, half: number | undefined): Int32Array => {
  const mark = room.mark;
  const [from, to] = [room.take(16_384), room.take(16_384)];
  new Int32Array(kernel.memory.buffer, from, values.length).set(values);
  const rows = [to, width * 4, from, width * 4, width, values.length / width] as const;
  if (half === undefined) kernel.placeWhole(...rows);
  else kernel.placeScaled(...rows, half);
  room.back(mark);
  return new Int32Array(kernel.memory.buffer, to, values.length).slice();
};

const untouched = 0x7b_cd_ef_12;

/**
 * A part of a block placed in a band that is a row and three columns larger, as raw 32-bit values.
 */
const placed = (
  cache: CacheViews,
  block: { readonly at: number; readonly bytes: 2 | 4; readonly width: number },
  part: Omit<BlockPart, "to" | "stride">,
  half: number | undefined,
): Int32Array => {
  const mark = room.mark;
  const stride = (part.width + 3) * 4;
  const to = room.take(stride * (part.height + 1));
  parts.renew();
  const band = new Int32Array(kernel.memory.buffer, to, (stride / 4) * (part.height + 1));
  band.fill(untouched);
  parts.place(cache, block, { ...part, to, stride }, half);
  room.back(mark);
  return band.slice();
};

const sizes: readonly (readonly [number, number])[] = [
  [64, 64],
  [63, 61],
  [13, 9],
  [1, 1024],
  [1024, 4],
  [5, 1],
];

const coefficient = (from: Random, bytes: 2 | 4): number => {
  const max = bytes === 2 ? 32_767 : from.one([32_767, 16_777_217, 2_147_483_647]);
  return from.one([0, 1, -1, max, -max, from.whole(-max, max)]);
};

describe.each(sizes)("parts of cached blocks of %i x %i", (width, height) => {
  it.each([2, 4] as const)("of %i bytes equal the whole block, bit for bit", (bytes) => {
    const from = random(width * 31 + bytes);
    for (let round = 0; round < 60; round++) {
      const values = Int32Array.from({ length: width * height }, () => coefficient(from, bytes));
      const at = 16 * from.whole(1, 900);
      const left = from.whole(0, width - 1);
      const top = from.whole(0, height - 1);
      const part = {
        left,
        top,
        width: from.one([1, Math.min(3, width - left), from.whole(1, width - left), width - left]),
        height: from.one([1, Math.min(3, height - top), height - top]),
      };
      const half = from.one([undefined, 0.137_298_583_984_375, 1.058_593_75, 0.5]);
      const all = whole(values, width, half);
      const wanted = Array.from({ length: part.height + 1 }, (_, y) =>
        Array.from({ length: part.width + 3 }, (__, x) =>
          x < part.width && y < part.height ? (all[(top + y) * width + left + x] ?? 0) : untouched,
        ),
      ).flat();
      const came = placed(kept(values, at, bytes), { at, bytes, width }, part, half);
      expect(Array.from(came)).toEqual(wanted);
    }
  });
});

it("writes go to memory that has grown in the meantime", () => {
  const values = Int32Array.of(7, -9, 11, 0);
  const cache = kept(values, 16, 2);
  const part = { left: 0, top: 0, width: 2, height: 2 };
  const before = placed(cache, { at: 16, bytes: 2, width: 2 }, part, undefined);
  kernel.memory.grow(1);
  expect(placed(cache, { at: 16, bytes: 2, width: 2 }, part, undefined)).toEqual(before);
  expect(Array.from(before.subarray(0, 2))).toEqual([3, -4]);
});
