import { describe, expect, test } from "vitest";
import { type Random, random } from "../../../test/random.ts";
import type { Rect, Size } from "../../core/geometry.ts";
import type { Filter } from "../../core/plan.ts";
import { extentOf, type Sampling } from "../shared/scaling-weights.ts";
import { createTileDecoder } from "../tiff/codecs/tile-decode.ts";
import { compressions } from "../tiff/structure/tags.ts";
import type { ScaleJob } from "./tile-job.ts";
import { createTileScaler } from "./tile-scaling.ts";

const filters: readonly Filter[] = ["bicubic", "lanczos3", "mitchell", "triangle"];

interface Picture extends Size {
  readonly data: Uint8Array;
  readonly samples: 1 | 3;
}

/** Blocks of noise and flat colour, with hard edges at which filters overshoot. */
const noisy = (dice: Random, { width, height }: Size, samples: 1 | 3): Picture => {
  const data = new Uint8Array(width * height * samples);
  for (let at = 0; at < data.length; at++) {
    const pixel = Math.floor(at / samples);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const flat = ((x >> 3) + (y >> 3)) % 3;
    data[at] = flat === 0 ? 0 : flat === 1 ? 255 : dice.whole(0, 255);
  }
  return { data, width, height, samples };
};

/**
 * Stored tiles of a part of an image; beyond the image they contain values that must not be
 * visible.
 */
const tilesOf = (picture: Picture, region: Rect, tile: Size) => {
  const { data, width, height, samples } = picture;
  const left = Math.floor(region.x / tile.width);
  const top = Math.floor(region.y / tile.height);
  const columns = Math.ceil((region.x + region.width) / tile.width) - left;
  const rows = Math.ceil((region.y + region.height) / tile.height) - top;
  const tiles = Array.from({ length: columns * rows }, (_, index) => {
    const [x, y] = [
      (left + (index % columns)) * tile.width,
      (top + Math.floor(index / columns)) * tile.height,
    ];
    const bytes = new Uint8Array(tile.width * tile.height * samples).fill(137);
    for (let row = 0; row < Math.min(tile.height, height - y); row++)
      for (let n = 0; n < Math.min(tile.width, width - x) * samples; n++)
        bytes[row * tile.width * samples + n] = data[((y + row) * width + x) * samples + n] ?? 0;
    return { bytes, x: x - region.x, y: y - region.y };
  });
  return { tiles, columns };
};

const jobOf = (
  picture: Picture,
  tile: Size,
  axes: Pick<ScaleJob, "across" | "down" | "filter">,
): ScaleJob => {
  const [x, right] = extentOf(axes.across, axes.filter, picture.width);
  const [y, bottom] = extentOf(axes.down, axes.filter, picture.height);
  const region: Rect = { x, y, width: right - x, height: bottom - y };
  return {
    ...tilesOf(picture, region, tile),
    ...axes,
    region,
    level: { width: picture.width, height: picture.height },
    tile,
    samples: picture.samples,
    compression: compressions.none,
    predictor: 1,
    quality: 80,
    subsampling: "4:4:4",
    left: new Int32Array(new SharedArrayBuffer(4)),
  };
};

const cubic =
  (b: number, c: number) =>
  (x: number): number =>
    x < 1
      ? ((12 - 9 * b - 6 * c) * x ** 3 + (-18 + 12 * b + 6 * c) * x ** 2 + 6 - 2 * b) / 6
      : ((-b - 6 * c) * x ** 3 + (6 * b + 30 * c) * x ** 2 - (12 * b + 48 * c) * x) / 6 +
        (8 * b + 24 * c) / 6;
const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const references: Partial<Record<Filter, readonly [number, (x: number) => number]>> = {
  bicubic: [2, cubic(0, 0.5)],
  mitchell: [2, cubic(1 / 3, 1 / 3)],
  lanczos3: [3, (x) => sinc(x) * sinc(x / 3)],
  triangle: [1, (x) => 1 - x],
};

/** The expected pixel in double precision, by the filter's definition. */
const exactTaps = ({ origin, step, first, last }: Sampling, filter: Filter, pixel: number) => {
  const [reach, kernel] = references[filter] ?? [0, () => 0];
  const scale = Math.max(1, step);
  const centre = origin + (Math.min(first + pixel, last) + 0.5) * step;
  const taps: { readonly at: number; readonly weight: number }[] = [];
  for (let at = Math.floor(centre - reach * scale) - 1; at < centre + reach * scale + 1; at++) {
    const distance = Math.abs(at + 0.5 - centre) / scale;
    if (distance < reach) taps.push({ at, weight: kernel(distance) });
  }
  const sum = taps.reduce((total, { weight }) => total + weight, 0);
  return taps.map(({ at, weight }) => ({ at, weight: weight / sum }));
};

const exact = (picture: Picture, { across, down, filter }: ScaleJob): Float64Array => {
  const { data, width, height, samples } = picture;
  const inside = (at: number, length: number): number => Math.min(length - 1, Math.max(0, at));
  const columns = Array.from({ length: across.count }, (_, n) => exactTaps(across, filter, n));
  const result = new Float64Array(across.count * down.count * samples);
  for (let y = 0; y < down.count; y++) {
    const row = new Float64Array(width * samples);
    for (const { at, weight } of exactTaps(down, filter, y)) {
      const from = inside(at, height) * width * samples;
      for (let n = 0; n < row.length; n++) row[n] = (row[n] ?? 0) + weight * (data[from + n] ?? 0);
    }
    for (const [x, taps] of columns.entries())
      for (let c = 0; c < samples; c++) {
        const value = taps.reduce(
          (sum, { at, weight }) => sum + weight * (row[inside(at, width) * samples + c] ?? 0),
          0,
        );
        result[(y * across.count + x) * samples + c] = Math.min(255, Math.max(0, value));
      }
  }
  return result;
};

const scaler = await createTileScaler();
const decoder = await createTileDecoder();
const scaled = (job: ScaleJob): Uint8Array => Uint8Array.from(scaler.scale(job, decoder));

const maxApart = (one: Uint8Array, other: Float64Array | Uint8Array): number => {
  expect(one.length).toBe(other.length);
  return one.reduce((max, value, at) => Math.max(max, Math.abs(value - (other[at] ?? 0))), 0);
};

/** A window of a level of `length` pixels, at fractional positions, perhaps beyond its far edge. */
const windowIn = (dice: Random, length: number, max: number): Sampling => {
  const step = 0.9 + (dice.whole(0, 1_000) / 1_000) ** 2 * max;
  const all = Math.max(1, Math.ceil(length / step));
  const first = dice.whole(0, all - 1);
  const count = dice.whole(1, Math.min(90, all - first + 1));
  return { origin: dice.whole(-40, 40) / 97, step, first, count, last: all - dice.whole(0, 1) };
};

describe("an image scaled from tiles", () => {
  test.each(filters)("matches the definition of %s within 1", (filter) => {
    const dice = random(filter.length);
    for (let round = 0; round < 40; round++) {
      const size = { width: dice.whole(1, 300), height: dice.whole(1, 300) };
      const picture = noisy(dice, size, round % 3 === 0 ? 1 : 3);
      const tile = { width: 16 * dice.whole(1, 8), height: 16 * dice.whole(1, 8) };
      const max = round % 5 === 0 ? 30 : 2;
      const job = jobOf(picture, tile, {
        across: windowIn(dice, size.width, max),
        down: windowIn(dice, size.height, max),
        filter,
      });
      const { across, down, region } = job;
      const what = JSON.stringify({ size, tile, across, down, region });
      expect(maxApart(scaled(job), exact(picture, job)), what).toBeLessThan(1);
    }
  });

  test("is the level itself where nothing is scaled, with the last pixel repeated at the edge", () => {
    const dice = random(7);
    const picture = noisy(dice, { width: 50, height: 40 }, 3);
    const whole = (first: number, count: number, last: number): Sampling => ({
      origin: 0,
      step: 1,
      first,
      count,
      last,
    });
    const job = jobOf(
      picture,
      { width: 16, height: 16 },
      {
        across: whole(10, 41, 49),
        down: whole(0, 40, 39),
        filter: "bicubic",
      },
    );
    const pixels = scaled(job);
    for (let y = 0; y < 40; y++)
      for (let x = 0; x < 41; x++)
        for (let c = 0; c < 3; c++)
          expect(pixels[(y * 41 + x) * 3 + c]).toBe(
            picture.data[(y * 50 + Math.min(49, x + 10)) * 3 + c],
          );
  });

  test("keeps flat colours exactly at any reduction", () => {
    for (const step of [1.01, 1.5, 1.999, 7.3, 40]) {
      const picture: Picture = {
        data: new Uint8Array(400 * 300).fill(201),
        width: 400,
        height: 300,
        samples: 1,
      };
      const along = (length: number): Sampling => ({
        origin: 0.3,
        step,
        first: 0,
        count: Math.ceil(length / step),
        last: 10_000,
      });
      for (const filter of filters) {
        const axes = { across: along(400), down: along(300), filter };
        const pixels = scaled(jobOf(picture, { width: 64, height: 32 }, axes));
        expect(pixels.every((value) => value === 201)).toBe(true);
      }
    }
  });

  test("is identical in parts and in one piece", () => {
    const dice = random(11);
    for (const samples of [1, 3] as const) {
      const picture = noisy(dice, { width: 333, height: 217 }, samples);
      const [width, height, tile] = [187, 121, 50];
      const row = { origin: -0.21, step: 1.777, last: 186 };
      const column = { origin: 0.4, step: 1.79, last: 120 };
      const drawn = (x: number, y: number, size: Size): Uint8Array =>
        scaled(
          jobOf(
            picture,
            { width: 64, height: 64 },
            {
              across: { ...row, first: x, count: size.width },
              down: { ...column, first: y, count: size.height },
              filter: "lanczos3",
            },
          ),
        );
      const whole = drawn(0, 0, { width, height });
      for (let y = 0; y < height; y += tile)
        for (let x = 0; x < width; x += tile) {
          const size = { width: Math.min(tile, width - x), height: Math.min(tile, height - y) };
          const part = drawn(x, y, size);
          for (let n = 0; n < size.height; n++) {
            const from = ((y + n) * width + x) * samples;
            const line = part.subarray(n * size.width * samples, (n + 1) * size.width * samples);
            expect(line).toEqual(whole.subarray(from, from + line.length));
          }
        }
    }
  });

  test("is abandoned between tiles when aborted", () => {
    const picture = noisy(random(1), { width: 64, height: 64 }, 3);
    const row: Sampling = { origin: 0, step: 2, first: 0, count: 32, last: 31 };
    const job = jobOf(
      picture,
      { width: 16, height: 16 },
      {
        across: row,
        down: row,
        filter: "triangle",
      },
    );
    let decoded = 0;
    const slow = {
      ...decoder,
      decode: (...args: Parameters<typeof decoder.decode>) => {
        decoded++;
        if (decoded === 3) Atomics.store(job.left, 0, 1);
        return decoder.decode(...args);
      },
    };
    expect(() => scaler.scale(job, slow)).toThrow("nobody waits");
    expect(decoded).toBe(3);
  });
});
