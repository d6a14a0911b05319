import type { Rect, Size } from "../../../core/geometry.ts";
import type { Level } from "../../../core/info.ts";
import type { Window } from "../../shared/index.ts";
import type { CodestreamHeader } from "../codestream/index.ts";

/** An image halved a number of times, as in the codestream. */
export interface Jp2Level extends Level {
  /** Number of halvings. */
  readonly reduce: number;
}

export type StoredLevels = readonly [Jp2Level, ...Jp2Level[]];

/** All resolutions of a codestream that have a pixel, full size first (ISO/IEC 15444-1, B.5). */
export const levelsOf = (header: CodestreamHeader): StoredLevels => {
  const tile = readInParts(header);
  const levelAt = (reduce: number): Jp2Level => {
    const size = sizeAt(header.image, reduce);
    const scaled = tile.stored ? halved(tile.size, reduce) : tile.size;
    return { reduce, size, tile: smaller(scaled, size) };
  };
  const smallerOnes: Jp2Level[] = [];
  for (let reduce = 1; reduce <= header.levels; reduce++) {
    const level = levelAt(reduce);
    if (level.size.width < 1 || level.size.height < 1 || !isComplete(header, reduce)) break;
    smallerOnes.push(level);
  }
  return [levelAt(0), ...smallerOnes];
};

/** Whether every component has a sample when the image is halved so many times. */
const isComplete = ({ image, components }: CodestreamHeader, reduce: number): boolean => {
  const samples = (from: number, length: number, step: number): number =>
    sampleAt(from + length, step, 2 ** reduce) - sampleAt(from, step, 2 ** reduce);
  return components.every(
    ({ dx, dy }) => samples(image.x, image.width, dx) > 0 && samples(image.y, image.height, dy) > 0,
  );
};

/** The first sample from a position of the reference grid on (B-12 to B-15). */
const sampleAt = (place: number, step: number, factor: number): number =>
  Math.ceil(Math.ceil(place / step) / factor);

/** The size of the image area after so many halvings (B-15). */
const sizeAt = ({ x, y, width, height }: Rect, reduce: number): Size => {
  const factor = 2 ** reduce;
  return {
    width: Math.ceil((x + width) / factor) - Math.ceil(x / factor),
    height: Math.ceil((y + height) / factor) - Math.ceil(y / factor),
  };
};

/**
 * The parts in which an image is best read: its tiles, or where these are large or there is only
 * one, its precincts, if they are of a sensible size, or 512 x 512, since blocks are read
 * individually.
 */
const readInParts = ({
  tiles,
  columns,
  rows,
  precinct,
}: CodestreamHeader): { size: Size; stored: boolean } => {
  const isTiled = columns * rows > 1 && tiles.width <= largestTile && tiles.height <= largestTile;
  if (isTiled) return { size: { width: tiles.width, height: tiles.height }, stored: true };
  const sensible = (side: number): number =>
    side >= usualTile / 2 && side <= usualTile * 2 ? side : usualTile;
  return {
    size: { width: sensible(precinct.width), height: sensible(precinct.height) },
    stored: false,
  };
};

const usualTile = 512;
const largestTile = 2_048;

const halved = ({ width, height }: Size, reduce: number): Size => ({
  width: Math.ceil(width / 2 ** reduce),
  height: Math.ceil(height / 2 ** reduce),
});

const smaller = (one: Size, other: Size): Size => ({
  width: Math.min(one.width, other.width),
  height: Math.min(one.height, other.height),
});

/** Missing pixels up to which a level is used all the same. */
const levelTolerance = 1;

/** The smallest level that still has the requested pixels, within one of the whole level. */
export const sufficient = (levels: StoredLevels, { region, atLeast }: Window): Jp2Level => {
  const [full] = levels;
  const across = (full.size.width * atLeast.width) / region.width - levelTolerance;
  const down = (full.size.height * atLeast.height) / region.height - levelTolerance;
  const enough = levels.filter(
    ({ reduce }) =>
      full.size.width / 2 ** reduce >= across && full.size.height / 2 ** reduce >= down,
  );
  return enough.at(-1) ?? full;
};

/** The whole pixels of a level that show a region of the full size, at least one. */
export const levelRegion = ({ size, reduce }: Jp2Level, region: Rect): Rect => {
  const factor = 2 ** reduce;
  const x = Math.min(Math.floor(region.x / factor), size.width - 1);
  const y = Math.min(Math.floor(region.y / factor), size.height - 1);
  const right = Math.min(Math.ceil((region.x + region.width) / factor), size.width);
  const bottom = Math.min(Math.ceil((region.y + region.height) / factor), size.height);
  return { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
};

/** The part of a level to decode so that every pixel has a sample of each component. */
export interface LevelCut {
  /** As in `decodeRegion`: in pixels of the reference grid, from the image's offset on. */
  readonly region: Rect;
  /**
   * The first requested pixel, and how many: in steps of the level on the reference grid from its
   * origin on.
   */
  readonly pixels: Rect;
}

/** The part of the reference grid that a region of a level covers. */
export const cutOf = (header: CodestreamHeader, { reduce }: Jp2Level, region: Rect): LevelCut => {
  const { image, components } = header;
  const factor = 2 ** reduce;
  const across = along(image.x, image.width, {
    from: region.x,
    length: region.width,
    factor,
    steps: components.map(({ dx }) => dx),
  });
  const down = along(image.y, image.height, {
    from: region.y,
    length: region.height,
    factor,
    steps: components.map(({ dy }) => dy),
  });
  return {
    region: { x: across.start, y: down.start, width: across.length, height: down.length },
    pixels: { x: across.first, y: down.first, width: region.width, height: region.height },
  };
};

const along = (
  offset: number,
  side: number,
  wanted: {
    readonly from: number;
    readonly length: number;
    readonly factor: number;
    readonly steps: readonly number[];
  },
): { start: number; length: number; first: number } => {
  const { from, length, factor, steps } = wanted;
  const first = Math.ceil(offset / factor) + from;
  // A sample also covers the following pixels, so the one before the first pixel may be needed.
  const aligned = steps.reduce((min, step) => Math.min(min, first - (first % step)), first);
  const start = Math.max(offset, aligned * factor);
  // The first sample of the image also covers the pixels before it.
  const reached = steps.reduce(
    (max, step) => Math.max(max, sampleAt(offset, step, factor) * step * factor + 1),
    (first + length) * factor,
  );
  const end = Math.min(offset + side, reached);
  return { start: start - offset, length: end - start, first };
};
