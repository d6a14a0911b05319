import type { Cost } from "../core/admission.ts";
import { area, atLeastOne, fitWithin, type Size, upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { isInParts } from "../render/geometry.ts";

/** Estimates the cost of a plan. */
export type CostOf = (plan: Plan) => Pick<Cost, "pixels">;

/**
 * What a request costs beyond what it would cost with a pyramid, in pixels; 0 or less where a
 * pyramid would gain nothing. From a pyramid, a few pixels are read for each pixel of the response.
 */
export const excessOf = (plan: Plan, cost: Pick<Cost, "pixels">): number =>
  cost.pixels - costWithPyramid(plan);

/** The estimated cost of a request that uses a pyramid, in pixels. */
export const costWithPyramid = ({ size }: Pick<Plan, "size">): number =>
  perResponse + perPixel * area(size);

const perResponse = 500_000;
const perPixel = 4;

/**
 * Whether zooming into a page is slow: a tile at its far corner, or all of it in a small size,
 * costs much more than with a pyramid. `plan` is any plan for the page. Pages in tiles with small
 * enough levels are never slow.
 */
export const isSlow = (plan: Plan, { info, page }: PageOf, costOf: CostOf): boolean => {
  if (info.seconds !== undefined || hasLevels(page)) return false;
  return probesOf(plan, page).some((probe) => excessOf(probe, costOf(probe)) > 0);
};

/**
 * The gain of a pyramid when zooming into a page: the greatest ratio of the estimated costs without
 * and with it, at least 1. `plan` is any plan for the page.
 */
export const gainOf = (plan: Plan, page: Page, costOf: CostOf): number =>
  Math.max(
    1,
    ...probesOf(plan, page).map((probe) => costOf(probe).pixels / costWithPyramid(probe)),
  );

/** A tile in the bottom right corner of a page, and the whole page in a small size. */
const probesOf = (plan: Plan, page: Page): readonly Plan[] => {
  const full = upright(page.size, page.orientation);
  const corner = { width: Math.min(side, full.width), height: Math.min(side, full.height) };
  const probes: readonly Pick<Plan, "crop" | "size">[] = [
    {
      crop: { x: full.width - corner.width, y: full.height - corner.height, ...corner },
      size: corner,
    },
    { crop: { x: 0, y: 0, ...full }, size: smaller(full) },
  ];
  return probes.map((probe) => ({ ...plan, ...probe, rotation: 0, whole: false }));
};

/** A page, and the info it is from. */
export interface PageOf {
  readonly info: ImageInfo;
  readonly page: Page;
}

/** Whether a page is stored in tiles, with levels small enough for overviews. */
export const hasLevels = (page: Page): boolean =>
  isInParts(page) && Math.min(...page.levels.map(({ size }) => area(size))) <= maxSmallest;

/** The side of a probed tile in pixels. */
const side = 512;

const smaller = (full: Size): Size =>
  full.width <= side && full.height <= side
    ? full
    : atLeastOne(fitWithin(full, { width: side, height: side }));

/** Maximum pixels of the smallest level of a page that zooms well. */
const maxSmallest = 4_194_304;
