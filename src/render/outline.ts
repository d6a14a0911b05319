import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { wantOf } from "./geometry.ts";

/**
 * Whether a plan is carried out the same way whatever smaller levels and further pages an image has
 * beyond what is known of it: none of them could have as many pixels as the plan needs. Always so
 * where all is known.
 */
export const isSettledBy = (plan: Plan, { pages, isOutline }: ImageInfo): boolean => {
  if (!isOutline) return true;
  const [page] = pages;
  const last = page.levels.at(-1) ?? page.levels[0];
  if (plan.page !== 0) return false;
  const { crop, size, grid } = wantOf(plan, page, { apron: 0, reach: 0 });
  // What is read beyond the crop only makes the difference between levels larger.
  const lacks = (side: "width" | "height"): boolean => {
    const wanted = grid === undefined ? size[side] : crop[side] / grid.factor;
    const maxFound = (crop[side] * (last.size[side] + rounding)) / page.size[side];
    return maxFound < wanted - tolerance;
  };
  return lacks("width") || lacks("height");
};

/** Levels count as the page divided by a power of two where they are less than a pixel off. */
const rounding = 1;
/** How many pixels fewer than wanted a level may have and be read all the same. */
const tolerance = 1;
