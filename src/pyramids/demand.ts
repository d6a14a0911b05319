import type { Config } from "../config/store.ts";
import { area, upright } from "../core/geometry.ts";
import { type ImageInfo, pageOf } from "../core/info.ts";
import { type Plan, planOf, type ResolvedRequest } from "../core/plan.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { renderKeys } from "../render/keys.ts";
import { renderOptions } from "../render/options.ts";
import type { KnownImage } from "../service/known.ts";
import { mayHavePyramid } from "./encoding.ts";
import { pyramidKeys } from "./keys.ts";
import { excessOf, isSlow } from "./slow.ts";

/** A plan for a page of an image. */
export interface PlannedPage {
  readonly plan: Plan;
  readonly image: KnownImage;
}

/** Tells which pages need a pyramid, and how much. */
export interface Demand {
  /** Whether zooming into the plan's page is slow. */
  isSlow(planned: PlannedPage): boolean;
  /** Pixels that a request costs beyond what it would with a pyramid. */
  excess(planned: PlannedPage): number;
}

/** The estimated cost of a plan. */
export type CostOfPlan = (plan: Plan, image: KnownImage) => { readonly pixels: number };

export const createDemand = (config: Config, cost: CostOfPlan): Demand => {
  const settings = config.view(pyramidKeys);
  const known = new WeakMap<object, boolean>();
  return {
    isSlow({ plan, image }) {
      const page = pageOf(image.info, plan.page);
      if (page === undefined || image.info.isOutline) return false;
      const before = known.get(page);
      if (before !== undefined) return before;
      const slow =
        area(page.size) >= settings()["pyramids.min_pixels"] &&
        mayHavePyramid(image.info) &&
        isSlow(plan, { info: image.info, page }, (probe) => cost(probe, image));
      known.set(page, slow);
      return slow;
    },
    excess: ({ plan, image }) => excessOf(plan, cost(plan, image)),
  };
};

/** A pyramid is made once requests have cost this many times the page's pixels in excess. */
const worthwhile = 3;

/** The excess in pixels from which a page gets a pyramid. */
export const neededExcess = (info: ImageInfo, page: number): number =>
  worthwhile * area(pageOf(info, page)?.size ?? { width: 1, height: 1 });

/** A plan for all of a page, counted from 0, as for an image in its full size. */
export const wholePlan = (config: Config, identifier: string, image: KnownImage, index: number) => {
  const page = pageOf(image.info, index) ?? image.info.pages[0];
  const size = upright(page.size, page.orientation);
  const wanted: ResolvedRequest = {
    ...{ identifier, page: index, orientation: page.orientation, size },
    ...{ crop: { x: 0, y: 0, ...size }, mirror: false, rotation: 0 },
    ...{ quality: "default", format: "jpg" },
  };
  const settings = config.view({ ...renderKeys, ...encodingKeys })();
  return planOf(wanted, renderOptions(settings, wanted.format), image.version);
};
