import { type Rect, type Size, upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { qualityOfLevel, subsamplingOf } from "../formats/write/index.ts";
import { inPyramid, whyNotAsStored } from "../render/as-stored.ts";
import { gridOf } from "../render/geometry.ts";
import type { PyramidTiles } from "./encoding.ts";

/** Which levels a pyramid has beyond the first that is a single tile. */
interface OfferedLevels {
  /** Pixels of the shorter side of the smallest one. */
  readonly minSide: number;
}

/**
 * The encoding of the response if a plan requests a tile of the page's pyramid: that of the tile's
 * level. Undefined for all other plans, which are encoded as configured. It applies even before
 * there is a pyramid, so that tiles do not visibly change when there is one, and to tiles at the
 * edges of levels, which are smaller than stored ones and encoded anew.
 */
export const encodingOfTile = (
  plan: Plan,
  page: Page,
  tiles: PyramidTiles & OfferedLevels,
): Plan["encoding"] | undefined => {
  if (!plan.stored || plan.format !== "jpg" || tiles.compression !== "jpeg") return undefined;
  if (whyNotAsStored(plan, inPyramid(plan, page)) !== undefined) return undefined;
  const size = upright(page.size, page.orientation);
  const grid = gridOf(plan.crop, plan.size, size);
  if (grid === undefined || !isTile(grid.window, grid.whole, tiles.tile)) return undefined;
  const level = Math.log2(grid.factor);
  if (!Number.isInteger(level) || !hasLevel(size, level, tiles)) return undefined;
  const quality = qualityOfLevel(tiles, level);
  const subsampling = subsamplingOf(quality);
  return {
    quality,
    subsampling,
    // libtiff writes these tiles: see `writtenByLibtiff`.
    ...(subsampling === "4:2:0" && { encoder: "libvips" }),
    table: standardTable,
    progressive: false,
    optimise: false,
  };
};

/** The quantisation tables of the JPEG standard, which encoders of tiles use. */
const standardTable = 0;

/** Whether a part of a level is one of its tiles, of which the last ones may be smaller. */
const isTile = ({ x, y, width, height }: Rect, level: Size, side: number): boolean =>
  x % side === 0 &&
  y % side === 0 &&
  width === Math.min(side, level.width - x) &&
  height === Math.min(side, level.height - y);

/** Whether a pyramid has a level: see `levelSizes`. */
const hasLevel = (
  { width, height }: Size,
  level: number,
  { tile, minSide }: Pick<PyramidTiles, "tile"> & OfferedLevels,
): boolean =>
  level === 0 ||
  Math.max(width, height) > tile * 2 ** (level - 1) ||
  Math.min(width, height) / 2 ** level >= minSide;
