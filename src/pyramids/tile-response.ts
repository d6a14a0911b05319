import { type Rect, type Size, upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { qualityOfLevel, subsamplingOf } from "../formats/write/index.ts";
import { inPyramid, whyNotAsStored } from "../render/as-stored.ts";
import { gridOf } from "../render/geometry.ts";
import type { PyramidTiles } from "./encoding.ts";

/**
 * The encoding of the response if a plan requests a tile of the page's pyramid: that of the tile's
 * level. Undefined for all other plans, which are encoded as configured. It applies even before
 * there is a pyramid, so that tiles do not visibly change when there is one, and to tiles at the
 * edges of levels, which are smaller than stored ones and encoded anew.
 */
export const encodingOfTile = (
  plan: Plan,
  page: Page,
  tiles: PyramidTiles,
): Plan["encoding"] | undefined => {
  if (!plan.stored || plan.format !== "jpg" || tiles.compression !== "jpeg") return undefined;
  if (whyNotAsStored(plan, inPyramid(plan, page)) !== undefined) return undefined;
  const size = upright(page.size, page.orientation);
  const grid = gridOf(plan.crop, plan.size, size);
  if (grid === undefined || !isTile(grid.window, grid.whole, tiles.tile)) return undefined;
  const level = Math.log2(grid.factor);
  if (!Number.isInteger(level) || !hasLevel(size, level, tiles.tile)) return undefined;
  const quality = qualityOfLevel(tiles, level);
  return {
    quality,
    subsampling: subsamplingOf(quality),
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

/** Whether a pyramid has a level: the smallest one is the first that is a single tile. */
const hasLevel = ({ width, height }: Size, level: number, side: number): boolean =>
  level === 0 || Math.max(width, height) > side * 2 ** (level - 1);
