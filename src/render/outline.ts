import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { wantOf } from "./geometry.ts";

/**
 * Whether a plan is executed the same way whatever smaller levels and further pages an image has
 * beyond the known ones, because none of them could have as many pixels as the plan needs. Always
 * true where all is known.
 */
export const isOutlineSufficient = (plan: Plan, { pages, isOutline }: ImageInfo): boolean => {
  if (!isOutline) return true;
  const [page] = pages;
  const last = page.levels.at(-1) ?? page.levels[0];
  if (plan.page !== 0) return false;
  const { crop, size, grid } = wantOf(plan, page, { apron: 0, reach: 0 });
  // Reading beyond the crop only increases the difference between levels.
  const lacks = (side: "width" | "height"): boolean => {
    const wanted = grid === undefined ? size[side] : crop[side] / grid.factor;
    const maxFound = (crop[side] * (last.size[side] + rounding)) / page.size[side];
    return maxFound < wanted - tolerance;
  };
  return lacks("width") || lacks("height");
};

/** Levels count as the page divided by a power of two where they are less than a pixel off. */
const rounding = 1;
/** Missing pixels up to which a level is used all the same. */
const tolerance = 1;
