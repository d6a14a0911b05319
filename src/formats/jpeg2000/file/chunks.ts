import type { Rect } from "../../../core/geometry.ts";
import type { Jp2Level } from "./levels.ts";

/** Approximate sides of chunks in pixels. */
const usualSide = 256;

/** A side that divides a tile's, or is a multiple of it. */
const sideFor = (tile: number): number =>
  tile >= usualSide
    ? Math.ceil(tile / Math.floor(tile / usualSide))
    : tile * Math.floor(usualSide / tile);

/** The chunks of a level that a region touches; row by row, in pixels of the level. */
export const chunksIn = ({ size, tile }: Jp2Level, region: Rect): Rect[] => {
  const width = sideFor(tile.width);
  const height = sideFor(tile.height);
  const chunks: Rect[] = [];
  const [right, bottom] = [region.x + region.width, region.y + region.height];
  for (let y = region.y - (region.y % height); y < bottom; y += height)
    for (let x = region.x - (region.x % width); x < right; x += width)
      chunks.push({
        x,
        y,
        width: Math.min(width, size.width - x),
        height: Math.min(height, size.height - y),
      });
  return chunks;
};

/** The intersection of two overlapping rectangles. */
export const intersection = (one: Rect, other: Rect): Rect => {
  const x = Math.max(one.x, other.x);
  const y = Math.max(one.y, other.y);
  return {
    x,
    y,
    width: Math.min(one.x + one.width, other.x + other.width) - x,
    height: Math.min(one.y + one.height, other.y + other.height) - y,
  };
};

/** The bounding box of at least one rectangle. */
export const covering = (all: readonly Rect[]): Rect => {
  const x = Math.min(...all.map((one) => one.x));
  const y = Math.min(...all.map((one) => one.y));
  return {
    x,
    y,
    width: Math.max(...all.map((one) => one.x + one.width)) - x,
    height: Math.max(...all.map((one) => one.y + one.height)) - y,
  };
};

/** Whether a part of a rectangle is all of it. */
export const isWholeOf = (part: Rect, whole: Rect): boolean =>
  part.width === whole.width && part.height === whole.height;

/** Copies the part of a chunk's pixels inside a region to the region's pixels. */
export const rowsInto = (
  target: Uint8Array,
  region: Rect,
  {
    from,
    chunk,
    samples,
  }: { readonly from: Uint8Array; readonly chunk: Rect; readonly samples: number },
): void => {
  const { x, y, width, height } = intersection(chunk, region);
  const length = width * samples;
  if (width === chunk.width && width === region.width) {
    const start = (y - chunk.y) * length;
    target.set(from.subarray(start, start + height * length), (y - region.y) * length);
    return;
  }
  for (let row = y; row < y + height; row++) {
    const start = ((row - chunk.y) * chunk.width + x - chunk.x) * samples;
    const line = from.subarray(start, start + length);
    target.set(line, ((row - region.y) * region.width + x - region.x) * samples);
  }
};
