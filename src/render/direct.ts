import { type Rect, round } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { LevelPart } from "../formats/shared/index.ts";
import { whyNotAsStored } from "./as-stored.ts";
import { gridOf } from "./geometry.ts";

/** The part of a stored level that a plan wants unchanged; undefined where there is none. */
export const partOf = (plan: Plan, info: ImageInfo): LevelPart | undefined => {
  const found = partOrReason(plan, info);
  return typeof found === "string" ? undefined : found;
};

/** The part of a stored level that a plan wants unchanged, or why there is none. */
export const partOrReason = (plan: Plan, { pages }: ImageInfo): LevelPart | string => {
  const page = pages[plan.page];
  if (page === undefined) return "there is no such page";
  const touched = whyNotAsStored(plan, page);
  if (touched !== undefined) return touched;
  const grid = gridOf(plan.crop, plan.size, page.size);
  if (grid === undefined) return "region and size are no tile of the page reduced by an integer";
  const level = levelOf(page, grid.factor);
  if (level === undefined) return `no stored level is the page reduced by ${grid.factor}`;
  const region: Rect = grid.window;
  const { size } = page.levels[level] ?? page;
  // A level whose size was rounded down lacks the page's last column or row.
  if (region.x + region.width > size.width || region.y + region.height > size.height)
    return "the stored level lacks the page's last column or row";
  return { page: plan.page, level, region, profiled: page.colour.profile === "kept" };
};

/**
 * The level that is the page reduced by a factor: full size, or by a power of two, the only factors
 * at which levels are exact.
 */
const levelOf = ({ size, levels }: Page, factor: number): number | undefined => {
  if (factor !== 2 ** round(Math.log2(factor))) return undefined;
  const index = levels.findIndex(
    (level) =>
      Math.abs(level.size.width - size.width / factor) < 1 &&
      Math.abs(level.size.height - size.height / factor) < 1,
  );
  return index < 0 ? undefined : index;
};
