import type { Rect, Size } from "../../core/geometry.ts";
import type { Raster, Window } from "./codec.ts";

/** Larger boxes would not fit their sums of 16-bit values into 32 bits. */
const largestFactor = 256;

/** Rounding of sides, which must not decide between two factors. */
const tolerance = 1e-6;

/**
 * By which power of two an image without levels may be reduced while it is read, from 1 to 256:
 * what is left has at least twice the pixels asked for along each side, so that the finer filter
 * decides the looks.
 */
export const reductionFor = ({ region, atLeast }: Window): number => {
  const ratio = Math.min(region.width / atLeast.width, region.height / atLeast.height) / 2;
  const power = Math.floor(Math.log2(Math.max(1, ratio + tolerance)));
  return Math.min(largestFactor, 2 ** power);
};

/** A part of a page, and how it is reduced. */
export interface Reduction {
  /**
   * Whole pixels of the page that are to be read, for a region widened to whole boxes as far as the
   * page goes.
   */
  readonly region: Rect;
  readonly factor: number;
  /** In pixels, once reduced. */
  readonly size: Size;
  /** As in a raster: may overhang the page by less than a box. */
  readonly covers: Raster["covers"];
}

/** What is to be read of a page of `size` for a region of it that is reduced by `factor`. */
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
 * Takes rows of a region one after the other, from the top or from the bottom, and gives what they
 * are reduced to.
 */
export interface RowTaker {
  /** The row `y`, counted from the top of the region: the samples of all its pixels. */
  put(y: number, row: ReducedSamples): void;
  /** Complete once all rows were put. */
  readonly values: ReducedSamples;
}

/** Reduces by the mean of each box; at the edges of the page, of what there is of it. */
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
