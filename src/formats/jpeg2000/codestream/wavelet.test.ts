import { beforeAll, describe, expect, test } from "vitest";
import { type Random, random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { type CodestreamKernel, KernelRoom, newCodestreamKernel } from "./kernel.ts";

interface Window {
  readonly width: number;
  readonly height: number;
  /** 1 where it begins with a high column, or row. */
  readonly oddX: number;
  readonly oddY: number;
  readonly reversible: boolean;
}

let kernel: CodestreamKernel;

beforeAll(async () => {
  kernel = newCodestreamKernel(await compileWasm("jpeg2000"));
});

const strideOf = (width: number): number => ((width + 7) & ~7) * 4;

/** How many of `count` positions are even; the first is odd where `odd` is 1. */
const evens = (count: number, odd: number): number => (count + 1 - odd) >> 1;

/** The kernel's samples of a window, each in its place, as raw bits. */
const synthesized = (window: Window, interleaved: Int32Array): Int32Array => {
  const { width, height, oddX, oddY, reversible } = window;
  const room = new KernelRoom(kernel, kernel.base());
  const [columns, rows] = [evens(width, oddX), evens(height, oddY)];
  // Those of LL are part of something larger.
  const strides = [strideOf(columns) + 32, strideOf(width - columns), strideOf(columns)];
  const [lowStride = 0, highStride = 0, thirdStride = 0] = strides;
  const ll = room.take(lowStride * rows + 12) + 12;
  const hl = room.take(highStride * rows);
  const lh = room.take(thirdStride * (height - rows));
  const hh = room.take(highStride * (height - rows));
  const stride = strideOf(width);
  const to = room.take(stride * height);
  const scratch = room.take(2 * (stride + 64));
  const words = new Int32Array(kernel.memory.buffer);
  // Data outside the window must not matter; these are NaNs, and no small integers.
  words.fill(0x7fc0_1234, (ll - 12) >> 2, room.mark >> 2);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [isHighX, isHighY] = [(x + oddX) & 1, (y + oddY) & 1];
      const [band, bandStride] = isHighY
        ? isHighX
          ? [hh, highStride]
          : [lh, thirdStride]
        : isHighX
          ? [hl, highStride]
          : [ll, lowStride];
      words[((band + (y >> 1) * bandStride) >> 2) + (x >> 1)] = interleaved[y * width + x] ?? 0;
    }
  const bands = [ll, lowStride, hl, lh, hh] as const;
  kernel.synthesize(to, width, height, oddX, oddY, ...bands, reversible, scratch);
  return Int32Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return words[((to + y * stride) >> 2) + x] ?? 0;
  });
};

type Line = number[];

/**
 * Adds to every other sample, from `first` on, the result of `change` for both neighbours, mirrored
 * at the ends.
 */
const lift = (line: Line, first: number, change: (sample: number, sum: number) => number): void => {
  const neighbour = (at: number, other: number): number => line[at] ?? line[other] ?? 0;
  for (let at = first; at < line.length; at += 2) {
    const [before, after] = [neighbour(at - 1, at + 1), neighbour(at + 1, at - 1)];
    line[at] = change(line[at] ?? 0, before + after);
  }
};

/** F.3.8.2.1.1. */
const line53 = (line: Line, odd: number): void => {
  if (line.length === 1) {
    if (odd === 1) line[0] = Math.trunc((line[0] ?? 0) / 2);
    return;
  }
  lift(line, odd, (sample, sum) => (sample - ((sum + 2) >> 2)) | 0);
  lift(line, 1 - odd, (sample, sum) => (sample + (sum >> 1)) | 0);
};

const round = Math.fround;
const steps = [0.443506852043971, 0.882911075530934, -0.052980118572961, -1.586134342059924].map(
  round,
);
const [k, kHigh] = [round(1.230174104914001), round(0.812866211)];

/** F.3.8.2.1.2, in OpenJPEG's arithmetic. */
const line97 = (line: Line, odd: number): void => {
  if (line.length === 1) {
    if (odd === 1) line[0] = round((line[0] ?? 0) * 0.5);
    return;
  }
  for (const [at, sample] of line.entries())
    line[at] = round(sample * ((at + odd) & 1 ? kHigh : k));
  for (const [number, factor] of steps.entries())
    lift(line, number % 2 === 0 ? odd : 1 - odd, (sample, sum) =>
      round(sample - round(round(sum) * factor)),
    );
};

/** The same in plain steps: all rows, then all columns. */
const expected = (window: Window, interleaved: ArrayLike<number>): Line => {
  const { width, height, oddX, oddY, reversible } = window;
  const line = reversible ? line53 : line97;
  const all = Array.from(interleaved);
  for (let y = 0; y < height; y++) {
    const row = all.slice(y * width, (y + 1) * width);
    line(row, oddX);
    all.splice(y * width, width, ...row);
  }
  for (let x = 0; x < width; x++) {
    const column = Array.from({ length: height }, (_, y) => all[y * width + x] ?? 0);
    line(column, oddY);
    for (const [y, sample] of column.entries()) all[y * width + x] = sample;
  }
  return all;
};

/**
 * Whether the kernel and the plain steps give the same result for random coefficients, bit for bit.
 */
const expectAlike = (window: Window, { whole }: Random): void => {
  const count = window.width * window.height;
  if (window.reversible) {
    const coefficients = Int32Array.from({ length: count }, () => whole(-70_000, 70_000));
    const samples = [...synthesized(window, coefficients)];
    expect(samples, JSON.stringify(window)).toEqual(expected(window, coefficients));
    return;
  }
  const coefficients = Float32Array.from({ length: count }, () => whole(-900_000, 900_000) / 331);
  const bits = synthesized(window, new Int32Array(coefficients.buffer));
  const samples = [...new Float32Array(bits.buffer)];
  expect(samples, JSON.stringify(window)).toEqual(expected(window, coefficients));
};

describe.each([
  { name: "5/3", reversible: true },
  { name: "9/7", reversible: false },
])("the inverse transformation $name", ({ reversible }) => {
  test.each([
    { oddX: 0, oddY: 0 },
    { oddX: 1, oddY: 0 },
    { oddX: 0, oddY: 1 },
    { oddX: 1, oddY: 1 },
  ])(
    "equals the plain steps, whatever the size of a window that begins at $oddX, $oddY",
    (odds) => {
      const draw = random(2 * odds.oddX + odds.oddY);
      // All widths up to where every way of ending a row has occurred twice, and heights up to
      // where groups of rows have.
      for (let width = 1; width <= 41; width++)
        expectAlike({ width, height: 1 + (width % 11), ...odds, reversible }, draw);
      for (let height = 1; height <= 19; height++)
        expectAlike({ width: 1 + ((height * 7) % 23), height, ...odds, reversible }, draw);
      for (let round = 0; round < 6; round++) {
        const [width, height] = [draw.whole(42, 300), draw.whole(8, 80)];
        expectAlike({ width, height, ...odds, reversible }, draw);
      }
    },
  );
});

describe("coefficients beyond any image", () => {
  test("write nothing beyond the window", () => {
    const { whole, one } = random(97);
    for (let width = 1; width <= 40; width++) {
      const window = { width, height: 5, oddX: whole(0, 1), oddY: whole(0, 1), reversible: false };
      const room = new KernelRoom(kernel, kernel.base());
      const bytes = strideOf(width) * 5;
      const [band, to] = [room.take(bytes), room.take(bytes)];
      const scratchBytes = 2 * (strideOf(width) + 64);
      const scratch = room.take(scratchBytes);
      const all = new Float32Array(kernel.memory.buffer, band, bytes / 4);
      for (const at of all.keys()) all[at] = one([Infinity, -Infinity, Number.NaN, 3e38, 1e-40]);
      const guard = new Int32Array(kernel.memory.buffer, scratch + scratchBytes, 16).fill(
        0x0123_4567,
      );
      const beyond = new Int32Array(kernel.memory.buffer, to + bytes + 32, 16).fill(0x0123_4567);
      const { oddX, oddY, height } = window;
      const bands = [band, strideOf(width), band, band, band] as const;
      kernel.synthesize(to, width, height, oddX, oddY, ...bands, false, scratch);
      expect([...guard, ...beyond]).toEqual(Array.from({ length: 32 }, () => 0x0123_4567));
    }
  });
});
