import {
  area,
  type Rect,
  round,
  roundDown,
  roundUp,
  type Size,
  sameSize,
  toHeight,
  toWidth,
  upright,
} from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { boundsOf, inScale, largest } from "./bounds.ts";
import type { Limits } from "./limits.ts";
import type { OfferedPage } from "./offer.ts";

/** One entry of `tiles`: a grid of tiles at some scale factors, in pixels of the offered page. */
export interface Tiling extends Size {
  readonly scaleFactors: readonly number[];
}

/**
 * The sizes of the full region that info.json lists, smallest first: halvings of the page, within
 * the limits, and of a confined image the largest size.
 */
export const listSizes = (offered: OfferedPage, limits: Limits): readonly Size[] => {
  const { size } = offered;
  const bounds = boundsOf(size, offered, limits);
  const halvings = factorsOf(size, limits)
    .map((factor) => ({ width: round(size.width / factor), height: round(size.height / factor) }))
    .filter((listed) => area(listed) <= bounds.area && inScale(listed, bounds))
    .reverse();
  const max = largest(size, bounds);
  const isComplete = !bounds.confined || halvings.some((listed) => sameSize(listed, max));
  return isComplete ? halvings : [...halvings, max];
};

/**
 * The tiles that info.json lists: stored tiles, or multiples of them, none smaller than
 * min_tile_size, all within the limits. Each scale factor is listed once, in one entry with all
 * others where tiles of one size are whole stored ones at every level: some viewers read the first
 * entry only.
 */
export const listTiles = (page: Page, offered: OfferedPage, limits: Limits): readonly Tiling[] => {
  const bounds = boundsOf(offered.size, offered, limits);
  const factors = factorsOf(offered.size, limits).filter(
    // One pixel of a tile covers `factor` pixels of the page.
    (factor) => !(limits.max_scale > 0 && limits.max_scale / offered.share < 1 / factor),
  );
  const sizes = commonSize(factors.map((factor) => tileFor(factor, { page, offered }, limits)));
  const tilings = new Map<string, { size: Size; scaleFactors: number[] }>();
  for (const [index, factor] of factors.entries()) {
    const size = shrink(within(sizes[index] as Size, offered.size), bounds.area);
    const key = `${size.width}x${size.height}`;
    const tiling = tilings.get(key) ?? { size, scaleFactors: [] };
    tiling.scaleFactors.push(factor);
    tilings.set(key, tiling);
  }
  return [...tilings.values()].map(({ size, scaleFactors }) => ({ ...size, scaleFactors }));
};

/**
 * The largest of several tile sizes for all of them, where it is a multiple of all others; else
 * each its own.
 */
const commonSize = (sizes: readonly Size[]): readonly Size[] => {
  const width = Math.max(...sizes.map((size) => size.width));
  const height = Math.max(...sizes.map((size) => size.height));
  return sizes.every((size) => width % size.width === 0 && height % size.height === 0)
    ? sizes.map(() => ({ width, height }))
    : sizes;
};

/** The requested part of an image, in pixels of the offered page. */
interface Settled {
  readonly page: Page;
  readonly offered: OfferedPage;
  readonly crop: Rect;
  readonly size: Size;
}

/** True when info.json lists the size for the full page, or the tile. */
export const isListed = (settled: Settled, limits: Limits): boolean => {
  const { page, offered, crop, size } = settled;
  const matches = (listed: Size): boolean =>
    // `w,` and `,h` leave one side to the server, which may round differently than the list did.
    [listed, toWidth(crop, listed.width), toHeight(crop, listed.height)].some((allowed) =>
      sameSize(size, allowed),
    );
  const full = area(crop) === area(offered.size);
  if (full && listSizes(offered, limits).some(matches)) return true;
  const tilings = listTiles(page, offered, limits);
  // 1.1 offers its one tile size at every scale factor.
  const factors = tilings.flatMap(({ scaleFactors }) => scaleFactors);
  return tilings.some(({ width, height }) =>
    factors.some(
      (factor) =>
        isTile(crop, { width: width * factor, height: height * factor }, offered) &&
        matches({ width: roundUp(crop.width / factor), height: roundUp(crop.height / factor) }),
    ),
  );
};

/** True when the crop is one cell of a grid laid over the page from its top left corner. */
const isTile = (crop: Rect, cell: Size, { size }: OfferedPage): boolean =>
  crop.x % cell.width === 0 &&
  crop.y % cell.height === 0 &&
  crop.width === Math.min(cell.width, size.width - crop.x) &&
  crop.height === Math.min(cell.height, size.height - crop.y);

/** Powers of two, from 1 up to the last that keeps the shorter side at or above min_size. */
const factorsOf = (size: Size, limits: Limits): readonly number[] => {
  const shorter = Math.min(size.width, size.height);
  const factors = [1];
  for (let factor = 2; shorter / factor >= limits["endpoint.iiif.min_size"]; factor *= 2)
    factors.push(factor);
  return factors;
};

/** May be larger than the page. */
const tileFor = (
  factor: number,
  { page, offered }: Pick<Settled, "page" | "offered">,
  limits: Limits,
): Size => {
  const { size } = offered;
  const tile = storedTile(factor / offered.share, page);
  const smallest = smallestTile(tile, limits["endpoint.iiif.min_tile_size"]);
  const [minWidth, minHeight] = [Math.min(smallest, size.width), Math.min(smallest, size.height)];
  if (tile === undefined) return { width: minWidth, height: minHeight };
  // Doubled, so that each offered tile consists of whole stored ones.
  let { width, height } = upright(tile, page.orientation);
  while (width < minWidth || height < minHeight) {
    width *= 2;
    height *= 2;
  }
  return { width, height };
};

const within = (tile: Size, { width, height }: Size): Size => ({
  width: Math.min(tile.width, width),
  height: Math.min(tile.height, height),
});

/** The minimum side of an offered tile, given the stored one; see `endpoint.iiif.min_tile_size`. */
const smallestTile = (tile: Size | undefined, set: number | null): number => {
  if (set !== null) return set;
  if (tile === undefined) return untiledSide;
  return Math.min(tile.width, tile.height) >= smallestStored ? smallestStored : assembledSide;
};

/**
 * In pixels: tile size of images without stored tiles, the smallest stored tile that is offered,
 * and the size that smaller ones are combined to.
 */
const untiledSide = 512;
const smallestStored = 64;
const assembledSide = 256;

/**
 * The stored tile, unrotated, of the smallest level that serves a scale factor; undefined where
 * there is none. Where the two largest levels have tiles of one size, all are assumed to, so that
 * the beginning of a file suffices.
 */
const storedTile = (reduction: number, { size, levels }: Page): Size | undefined => {
  const tiled = levels.filter((level) => !isUntiled(level));
  const [first, second] = tiled;
  if (first && second && sameSize(first.tile, second.tile)) return first.tile;
  const serving = tiled.filter((level) => level.size.width * reduction >= size.width - reduction);
  return (serving.at(-1) ?? tiled[0])?.tile;
};

/** Whether a level is one piece, or strips as wide as itself. */
const isUntiled = ({ size, tile }: Page["levels"][number]): boolean =>
  tile.width === size.width && (tile.height === size.height || tile.height !== tile.width);

const shrink = (tile: Size, pixels: number): Size =>
  area(tile) <= pixels
    ? tile
    : shrink(
        {
          width: Math.max(1, roundDown(tile.width / 2)),
          height: Math.max(1, roundDown(tile.height / 2)),
        },
        pixels,
      );
