import type { Filter } from "../../core/plan.ts";

/**
 * Where, along one axis of a level, the pixels of an image lie. Pixel n of the image is pixel
 * `first` + n of a row of pixels of `step` level pixels each that begins at `origin`; from `last`
 * on, pixel `last` is repeated. Neighbours on one row of pixels come out alike whoever draws them.
 */
export interface Sampling {
  /** In level pixels: where pixel 0 of the row begins; may be fractional. */
  readonly origin: number;
  /** Level pixels to a pixel of the image; may be fractional, above 0. */
  readonly step: number;
  readonly first: number;
  /** How many pixels the image has. */
  readonly count: number;
  readonly last: number;
}

/** For each pixel along one axis of an image, which level pixels it is made of, and how. */
export interface Taps {
  /** The level pixel that the first weight is for. */
  readonly starts: Int32Array;
  /** `count` for each pixel, one after the other; they add up to `unit`. */
  readonly weights: Int16Array;
  readonly count: number;
}

/** What a weight of 1 is as a whole number. */
export const unit = 16_384;

interface Kernel {
  /** Beyond so many pixels, of the coarser side, the weight is 0. */
  readonly reach: number;
  /** By the distance in pixels of the coarser side, 0 or more. */
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

/** What libvips draws for each filter. */
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

/** The level pixels that an image is made of: from the first to before the second. */
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

/** The most weights that a pixel can have. */
export const maxTaps = (step: number, filter: Filter): number =>
  Math.ceil(2 * kernels[filter].reach * Math.max(1, step));

/**
 * The weights of an image along an axis of a level of `length` pixels. Reduced, the filter sees as
 * much more of the level; what it would see beyond the level is the level's last pixel again. The
 * count of weights is a multiple of `multiple`, those left over being 0.
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
    // What fractions are off by may make it one more, of no weight.
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

/** As `tapsOf`, but what was found lately, for images of the same sizes, is found at once. */
export const rememberedTaps = (): typeof tapsOf => {
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
  /** Of the level, in pixels. */
  readonly length: number;
  readonly multiple: number;
}

/**
 * Rounds sums of weights, not weights: flat colours stay as they are, and slopes hold their line.
 */
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
