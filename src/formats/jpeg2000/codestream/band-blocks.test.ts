import { beforeAll, describe, expect, test } from "vitest";
import { encodeCleanup } from "../../../../test/ht-encoder.ts";
import { type Random, random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { BandBlocks, storeJob } from "./band-blocks.ts";
import { keptBytes } from "./block-cache.ts";
import { isStored } from "./cache-pages.ts";
import { type BandJob, blockField, blockFields, type ComponentJob, type WindowJob } from "./job.ts";
import { type CodestreamKernel, KernelRoom, newCodestreamKernel } from "./kernel.ts";

let kernel: CodestreamKernel;
let room: KernelRoom;
let blocks: BandBlocks;
/** Where blocks are cached in the memory of the cache. */
let start: number;
let cache: SharedArrayBuffer;

const cacheBytes = 32_768;

/** Kernels that cannot reach the cache, and those that work in its memory. */
const kernels = {
  "a memory of its own": async () => {
    kernel = newCodestreamKernel(await compileWasm("jpeg2000"));
    room = new KernelRoom(kernel, kernel.base());
    blocks = new BandBlocks(room, false);
    start = 0;
    return () => new SharedArrayBuffer(cacheBytes);
  },
  "the memory of the cache": async () => {
    const memory = new WebAssembly.Memory({ initial: 16, maximum: 16, shared: true });
    kernel = newCodestreamKernel(await compileWasm("jpeg2000-shared"), memory);
    room = new KernelRoom(kernel, kernel.base());
    blocks = new BandBlocks(room, true);
    start = room.take(cacheBytes);
    const buffer: ArrayBufferLike = memory.buffer;
    if (!(buffer instanceof SharedArrayBuffer)) throw new Error("Expected shared memory.");
    return () => {
      new Uint8Array(buffer, start, cacheBytes).fill(0);
      return buffer;
    };
  },
} as const;
let newCache: () => SharedArrayBuffer;

type Block = Partial<Record<keyof typeof blockField, number>>;

/** A band of 21 x 20 from (3, 2) of one of 24 x 24 that has four blocks. */
const width = 21;
const height = 20;
const corners = [0, 1, 2, 3].map((corner) => ({
  x: corner % 2 === 0 ? -3 : 13,
  y: corner < 2 ? -2 : 14,
  width: corner % 2 === 0 ? 16 : 8,
  height: corner < 2 ? 16 : 8,
}));
const from = random(90_125);
const coded = corners.map((size) => {
  const { length } = new Int32Array(size.width * size.height);
  const values = Int32Array.from({ length }, () => from.one([0, 0, 1, -1, from.whole(-40, 40)]));
  return { ...size, values, bytes: encodeCleanup({ ...size, values }, from) };
});
const together = Buffer.concat(coded.map((block) => block.bytes));
const bytes = new Uint8Array(new SharedArrayBuffer(together.length + 5), 5);
bytes.set(together);
const missing = 7;

/**
 * The corners that exist, decoded from their bytes and, where requested, stored in the cache or
 * read from it.
 */
const stored = (there: readonly number[], kept: (corner: number) => Block): WindowJob => {
  const entries = there.map((corner): Block => {
    const first = coded.slice(0, corner).reduce((sum, block) => sum + block.bytes.length, 0);
    const length = coded[corner]?.bytes.length ?? 0;
    const own = { missing, bytes: first, length, segments: corner, count: 1, kept: -1 };
    return { ...corners[corner], ...own, isKept: 0, size: 2, ...kept(corner) };
  });
  const all = new Int32Array(there.length * blockFields);
  for (const [number, entry] of entries.entries())
    for (const name of Object.keys(blockField) as (keyof typeof blockField)[])
      all[number * blockFields + blockField[name]] = entry[name] ?? 0;
  return {
    components: [],
    transformed: false,
    wanted: [],
    interleaved: false,
    bytes,
    blocks: all,
    segments: Int32Array.from(coded.flatMap((block) => [block.bytes.length, 1])),
    cache,
    left: new Int32Array(new SharedArrayBuffer(4)),
  };
};

/** The band's raw 32-bit values, with the rest of its rows. */
const made = (
  job: WindowJob,
  form: { readonly reversible: boolean; readonly magnitudeBits: number; readonly shift?: number },
): Int32Array => {
  const mark = room.mark;
  const stride = 24 * 4;
  const at = room.take(stride * height);
  new Int32Array(kernel.memory.buffer, at, 24 * height).fill(0x7b_cd_ef_12);
  const { reversible, magnitudeBits, shift = 0 } = form;
  for (let at: number = blockField.size; at < job.blocks.length; at += blockFields)
    job.blocks[at] = keptBytes(magnitudeBits, missing, 0x40);
  const sizes = { width, height, precision: 8, signed: false };
  const component: ComponentJob = { reversible, style: 0x40, shift, levels: [], ...sizes };
  const all = [0, job.blocks.length / blockFields] as const;
  const band: BandJob = { kind: 1, magnitudeBits, step: 0.3, width, height, blocks: all };
  blocks.fill(storeJob(room, job), component, band, { at, stride });
  room.back(mark);
  return new Int32Array(kernel.memory.buffer, at, 24 * height).slice();
};

/** The expected `made` for integers in a band of so many bits. */
const wantedOf = (there: readonly number[], magnitudeBits: number): Int32Array => {
  const plane = magnitudeBits - 1 - missing;
  const wanted = new Int32Array(24 * height);
  for (const corner of there) {
    const { x, y, width: across, values } = coded[corner] ?? { x: 0, y: 0, width: 1, values: [] };
    for (const [at, value] of values.entries()) {
      const [column, row] = [x + (at % across), y + Math.floor(at / across)];
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      const number = Math.sign(value) * ((2 * Math.abs(value) + 1) << plane);
      wanted[row * 24 + column] = Math.trunc(number / 2);
    }
  }
  return wanted;
};

const placeOf = (corner: number): number => start + 16 + corner * 1_056;
const nowhere = (): Block => ({});
const left = (corner: number): Block => ({ kept: placeOf(corner) });
const taken = (corner: number): Block => ({ kept: placeOf(corner), isKept: 1 });
const promised = (corner: number): Block => ({ kept: placeOf(corner), isKept: 2 });

const whichLeft = (there: readonly number[]): readonly boolean[] =>
  there.map((corner) => isStored(new Int32Array(cache), placeOf(corner)));

describe.each(Object.entries(kernels))("in a kernel with %s", (_, make) => {
  beforeAll(async () => {
    newCache = await make();
    cache = newCache();
  });

  test.each([
    ["of 16 bits", 10],
    ["of 32 bits", 20],
  ] as const)("blocks %s are decoded identically, kept, cached or neither", (_, magnitudeBits) => {
    for (const reversible of [true, false])
      for (const there of [[0, 1, 2, 3], [0, 3], [1], []]) {
        cache = newCache();
        const form = { reversible, magnitudeBits };
        const decoded = made(stored(there, nowhere), form);
        if (reversible) expect(decoded).toEqual(wantedOf(there, magnitudeBits));
        expect(made(stored(there, promised), form)).toEqual(decoded);
        expect(whichLeft(there)).not.toContain(true);
        expect(made(stored(there, left), form)).toEqual(decoded);
        expect(whichLeft(there)).not.toContain(false);
        const unread = { bytes: 0, length: 0, segments: 0, count: 0 };
        const kept = (corner: number): Block => ({ ...taken(corner), ...unread });
        expect(made(stored(there, kept), form)).toEqual(decoded);
        expect(
          made(
            stored(there, (corner) => ({ ...kept(corner), isKept: 2 })),
            form,
          ),
        ).toEqual(decoded);
      }
  });

  test("blocks of a region of interest are decoded identically, too", () => {
    for (const magnitudeBits of [10, 20]) {
      cache = newCache();
      const form = { reversible: true, magnitudeBits, shift: 4 };
      const decoded = made(stored([0, 1, 2, 3], nowhere), form);
      expect(decoded).not.toEqual(wantedOf([0, 1, 2, 3], magnitudeBits));
      expect(made(stored([0, 1, 2, 3], left), form)).toEqual(decoded);
      expect(made(stored([0, 1, 2, 3], taken), form)).toEqual(decoded);
    }
  });

  test("blocks outside the wanted area are cached all the same", () => {
    cache = newCache();
    const outside = (corner: number): Block => ({ ...left(corner), x: 21, y: -40 });
    expect(made(stored([0], outside), { reversible: true, magnitudeBits: 10 })).toEqual(
      wantedOf([], 10),
    );
    expect(made(stored([0], taken), { reversible: true, magnitudeBits: 10 })).toEqual(
      wantedOf([0], 10),
    );
  });

  test("a block that is corrupt part-way is cached as decoded", () => {
    cache = newCache();
    const job = stored([0, 1, 2, 3], left);
    const damaged = {
      ...job,
      bytes: Uint8Array.from(job.bytes, (byte, at) => (at % 9 === 4 ? 0xff : byte)),
    };
    const form = { reversible: true, magnitudeBits: 10 };
    const decoded = made(damaged, form);
    expect(decoded).not.toEqual(wantedOf([0, 1, 2, 3], 10));
    expect(made(stored([0, 1, 2, 3], taken), form)).toEqual(decoded);
    expect(made({ ...damaged, blocks: stored([0, 1, 2, 3], nowhere).blocks }, form)).toEqual(
      decoded,
    );
  });

  test("decoding stops when nobody waits", () => {
    const job = stored([0], nowhere);
    Atomics.store(job.left, 0, 1);
    expect(() => made(job, { reversible: true, magnitudeBits: 10 })).toThrow("nobody waits");
  });

  test.each(sizes)("parts of cached blocks of %i x %i equal the whole, bit for bit", (...size) => {
    const [across, down] = size;
    const dice = random(across * 31 + down);
    for (let round = 0; round < 60; round++) {
      const bytes = dice.one([2, 4] as const);
      const values = Int32Array.from({ length: across * down }, () => coefficient(dice, bytes));
      const left = dice.whole(0, across - 1);
      const top = dice.whole(0, down - 1);
      const columns = dice.one([1, Math.min(3, across - left), across - left]);
      const rows = dice.one([1, Math.min(3, down - top), down - top]);
      const half = dice.one([undefined, 0.137_298_583_984_375, 1.058_593_75, 0.5]);
      const wanted = Array.from({ length: columns * rows }, (_, at) => {
        const [x, y] = [left + (at % columns), top + Math.floor(at / columns)];
        const value = values[y * across + x] ?? 0;
        if (half === undefined) return Math.trunc(value / 2) + 0;
        return Math.fround(Math.fround(value) * Math.fround(half));
      });
      const part = { left, top, columns, rows };
      expect(placed(values, { across, down, bytes }, part, half)).toEqual(wanted);
    }
  });
});

test("blocks are placed in memory that has grown in the meantime", async () => {
  newCache = await kernels["a memory of its own"]();
  cache = newCache();
  const form = { reversible: true, magnitudeBits: 10 };
  const before = made(stored([0, 1, 2, 3], left), form);
  kernel.memory.grow(1);
  expect(made(stored([0, 1, 2, 3], left), form)).toEqual(before);
  expect(made(stored([0, 1, 2, 3], taken), form)).toEqual(before);
});

const sizes = [
  [64, 64],
  [63, 61],
  [13, 9],
  [1, 1024],
  [1024, 4],
  [5, 1],
] as const;

const coefficient = (from: Random, bytes: 2 | 4): number => {
  const max = bytes === 2 ? 32_767 : from.one([32_767, 16_777_217, 2_147_483_647]);
  return from.one([0, 1, -1, max, -max, from.whole(-max, max)]);
};

/** A part of a cached block, as a band; the row after it has to stay as it was. */
const placed = (
  values: Int32Array,
  block: { readonly across: number; readonly down: number; readonly bytes: 2 | 4 },
  part: {
    readonly left: number;
    readonly top: number;
    readonly columns: number;
    readonly rows: number;
  },
  half: number | undefined,
): number[] => {
  cache = newCache();
  const { across, down, bytes: size } = block;
  const { left, top, columns, rows } = part;
  const kept = placeOf(0);
  if (size === 2) new Int16Array(cache, kept, values.length).set(values);
  else new Int32Array(cache, kept, values.length).set(values);
  const job = stored([0], () => {
    const own = { x: -left, y: -top, width: across, height: down, kept, isKept: 1, size };
    return { ...own, bytes: 0, length: 0, segments: 0, count: 0 };
  });
  const mark = room.mark;
  const stride = ((columns + 7) & ~7) * 4;
  const at = room.take(stride * (rows + 1));
  const { buffer } = kernel.memory;
  const all = new Int32Array(buffer, at, (stride / 4) * (rows + 1)).fill(0x7b_cd_ef_12);
  const sizes = { width: columns, height: rows };
  const form = { reversible: half === undefined, style: 0x40, shift: 0, levels: [] };
  const component: ComponentJob = { ...form, ...sizes, precision: 8, signed: false };
  const step = 2 * (half ?? 0);
  const band: BandJob = { kind: 1, magnitudeBits: 10, step, ...sizes, blocks: [0, 1] };
  blocks.fill(storeJob(room, job), component, band, { at, stride });
  room.back(mark);
  const after = all.subarray((stride / 4) * rows);
  expect(after.every((value) => value === 0x7b_cd_ef_12)).toBe(true);
  const numbers = half === undefined ? all : new Float32Array(buffer, at, all.length);
  return Array.from({ length: columns * rows }, (_, number) => {
    const row = Math.floor(number / columns);
    return (numbers[(row * stride) / 4 + (number % columns)] ?? 0) + 0;
  });
};
