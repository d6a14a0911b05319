import type { Filter } from "../../core/plan.ts";

/**
 * The positions of an image's pixels along one axis of a level. Pixel n of the image is pixel
 * `first` + n of a row of pixels of `step` level pixels each that begins at `origin`; from `last`
 * on, pixel `last` is repeated. Neighbouring images on one row of pixels agree, whichever code
 * renders them.
 */
export interface Sampling {
  /** In level pixels: the start of the row's pixel 0; may be fractional. */
  readonly origin: number;
  /** Level pixels per pixel of the image; may be fractional, above 0. */
  readonly step: number;
  readonly first: number;
  /** Number of the image's pixels. */
  readonly count: number;
  readonly last: number;
}

/** For each pixel along one axis of an image, the level pixels it is made of, and their weights. */
export interface Taps {
  /** The level pixel of the first weight. */
  readonly starts: Int32Array;
  /** `count` per pixel, one pixel after the other; they add up to `unit`. */
  readonly weights: Int16Array;
  readonly count: number;
}

/** The integer that represents a weight of 1. */
export const unit = 16_384;

interface Kernel {
  /** Radius in pixels of the coarser side, beyond which the weight is 0. */
  readonly reach: number;
  /** The weight by distance in pixels of the coarser side, 0 or more. */
  readonly weight: (distance: number) => number;
}

/** The cubic filters of Mitchell and Netravali with their B and C. */
const cubic = (b: number, c: number): Kernel["weight"] => {
  const near = [(12 - 9 * b - 6 * c) / 6, (-18 + 12 * b + 6 * c) / 6, (6 - 2 * b) / 6] as const;
  const far = [(-b - 6 * c) / 6, b + 5 * c, -2 * b - 8 * c, (8 * b + 24 * c) / 6] as const;
  return (x) =>
    x < 1
      ? (near[0] * x + near[1]) * x * x + near[2]
      : x < 2
        ? ((far[0] * x + far[1]) * x + far[2]) * x + far[3]
        : 0;
};

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const catmullRom: Kernel = { reach: 2, weight: cubic(0, 0.5) };
const mitchell: Kernel = { reach: 2, weight: cubic(1 / 3, 1 / 3) };
const triangle: Kernel = { reach: 1, weight: (x) => Math.max(0, 1 - x) };
const lanczos3: Kernel = { reach: 3, weight: (x) => (x < 3 ? sinc(x) * sinc(x / 3) : 0) };

/** libvips' kernel of each filter. */
const kernels: Readonly<Record<Filter, Kernel>> = {
  bell: mitchell,
  bicubic: catmullRom,
  box: triangle,
  bspline: mitchell,
  hermite: triangle,
  lanczos3,
  mitchell,
  triangle,
};

/** The half-open range of level pixels that an image is made of. */
export const extentOf = (
  { origin, step, first, count, last }: Sampling,
  filter: Filter,
  length: number,
): readonly [number, number] => {
  const support = kernels[filter].reach * Math.max(1, step);
  const centre = (pixel: number): number => origin + (Math.min(pixel, last) + 0.5) * step - 0.5;
  return [
    within(Math.floor(centre(first) - support) + 1, length),
    within(Math.ceil(centre(first + count - 1) + support) - 1, length) + 1,
  ];
};

/** Maximum number of weights of a pixel. */
export const maxTaps = (step: number, filter: Filter): number =>
  Math.ceil(2 * kernels[filter].reach * Math.max(1, step));

/**
 * The weights of an image along an axis of a level of `length` pixels. When downscaling, the kernel
 * covers proportionally more of the level; beyond the level its last pixel is repeated. The count
 * of weights is a multiple of `multiple`, padded with 0.
 */
export const tapsOf = (
  { origin, step, first, count: pixels, last }: Sampling,
  { filter, length, multiple }: Measures,
): Taps => {
  const { reach, weight } = kernels[filter];
  const scale = Math.max(1, step);
  const max = maxTaps(step, filter);
  const count = Math.ceil(max / multiple) * multiple;
  const starts = new Int32Array(pixels);
  const weights = new Int16Array(pixels * count);
  const exact = new Float64Array(max);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const centre = origin + (Math.min(first + pixel, last) + 0.5) * step - 0.5;
    const from = Math.floor(centre - reach * scale) + 1;
    // Rounding errors may make it one more, with weight 0.
    const to = Math.min(from + max, Math.ceil(centre + reach * scale)) - 1;
    const start = within(from, length);
    exact.fill(0);
    let sum = 0;
    for (let at = from; at <= to; at++) {
      const value = weight(Math.abs(at - centre) / scale);
      exact[within(at, length) - start] = (exact[within(at, length) - start] ?? 0) + value;
      sum += value;
    }
    starts[pixel] = start;
    putWhole(weights, { exact, sum, at: pixel * count });
  }
  return { starts, weights, count };
};

/** As `tapsOf`, with a cache of recent results for images of the same sizes. */
export const cachedTaps = (): typeof tapsOf => {
  const known = new Map<string, Taps>();
  return (sampling, measures) => {
    const { origin, step, first, count, last } = sampling;
    const { filter, length, multiple } = measures;
    const key = `${origin} ${step} ${first} ${count} ${last} ${filter} ${length} ${multiple}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= maxRemembered) known.clear();
    const found = tapsOf(sampling, measures);
    if (found.weights.length <= maxWeights) known.set(key, found);
    return found;
  };
};

const maxRemembered = 64;
const maxWeights = 32_768;

interface Measures {
  readonly filter: Filter;
  /** Range of the level, in pixels. */
  readonly length: number;
  readonly multiple: number;
}

/** Rounds cumulative sums rather than weights: flat colours stay exact, and slopes straight. */
const putWhole = (
  weights: Int16Array,
  { exact, sum, at }: { readonly exact: Float64Array; readonly sum: number; readonly at: number },
): void => {
  let whole = 0;
  let before = 0;
  for (let n = 0; n < exact.length; n++) {
    whole += exact[n] ?? 0;
    const rounded = Math.floor((whole / sum) * unit + 0.5);
    weights[at + n] = rounded - before;
    before = rounded;
  }
};

const within = (at: number, length: number): number => Math.min(length - 1, Math.max(0, at));
