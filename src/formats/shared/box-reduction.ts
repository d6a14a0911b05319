import type { Rect, Size } from "../../core/geometry.ts";
import type { Raster, Window } from "./codec.ts";

/** Larger boxes would not fit their sums of 16-bit values into 32 bits. */
const largestFactor = 256;

/** Tolerance for rounded sides, which must not decide between two factors. */
const tolerance = 1e-6;

/**
 * The power of two, from 1 to 256, by which an image without levels may be reduced while it is
 * read: at least twice the requested pixels remain along each side, so that the final filter
 * determines the quality.
 */
export const reductionFor = ({ region, atLeast }: Window): number => {
  const ratio = Math.min(region.width / atLeast.width, region.height / atLeast.height) / 2;
  const power = Math.floor(Math.log2(Math.max(1, ratio + tolerance)));
  return Math.min(largestFactor, 2 ** power);
};

/** A part of a page, and its reduction. */
export interface Reduction {
  /** The whole pixels to read for a region, extended to whole boxes as far as the page goes. */
  readonly region: Rect;
  readonly factor: number;
  /** Size in pixels, once reduced. */
  readonly size: Size;
  /** As in a raster: may extend beyond the page by less than a box. */
  readonly covers: Raster["covers"];
}

/** What to read of a page of `size` for a region that is reduced by `factor`. */
export const reductionOf = (size: Size, region: Rect, factor: number): Reduction => {
  const x = Math.floor(region.x / factor) * factor;
  const y = Math.floor(region.y / factor) * factor;
  const columns = Math.ceil((region.x + region.width - x) / factor);
  const rows = Math.ceil((region.y + region.height - y) / factor);
  const covers = { x, y, width: columns * factor, height: rows * factor };
  return {
    region: {
      x,
      y,
      width: Math.min(covers.width, size.width - x),
      height: Math.min(covers.height, size.height - y),
    },
    factor,
    size: { width: columns, height: rows },
    covers,
  };
};

/** Samples, interleaved. */
export type ReducedSamples = Uint8Array | Uint16Array;

/**
 * Takes the rows of a region in order, from the top or from the bottom, and returns the reduced
 * region.
 */
export interface RowTaker {
  /** Row `y`, counted from the top of the region: the samples of all its pixels. */
  put(y: number, row: ReducedSamples): void;
  /** Complete once all rows were put. */
  readonly values: ReducedSamples;
}

/** Reduces by the mean of each box, clipped to the page. */
export const takeRows = (
  { region, factor, size }: Reduction,
  { channels, depth }: { readonly channels: number; readonly depth: 8 | 16 },
): RowTaker => {
  const stride = size.width * channels;
  const values =
    depth === 8 ? new Uint8Array(stride * size.height) : new Uint16Array(stride * size.height);
  if (factor === 1) return { values, put: (y, row) => values.set(row, y * stride) };
  const sums = new Float64Array(stride);
  let rows = 0;
  const finish = (boxRow: number): void => {
    for (let column = 0; column < size.width; column++) {
      const across = Math.min(factor, region.width - column * factor);
      const share = 1 / (across * rows);
      for (let channel = 0; channel < channels; channel++) {
        const at = column * channels + channel;
        values[boxRow * stride + at] = (sums[at] ?? 0) * share + 0.5;
      }
    }
    sums.fill(0);
    rows = 0;
  };
  return {
    values,
    put(y, row) {
      const boxRow = Math.floor(y / factor);
      for (let x = 0, at = 0; x < region.width; x++) {
        const to = Math.floor(x / factor) * channels;
        for (let channel = 0; channel < channels; channel++, at++)
          sums[to + channel] = (sums[to + channel] ?? 0) + (row[at] ?? 0);
      }
      rows++;
      if (rows === Math.min(factor, region.height - boxRow * factor)) finish(boxRow);
    },
  };
};
