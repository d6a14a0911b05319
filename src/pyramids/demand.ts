import type { Config } from "../config/store.ts";
import { area } from "../core/geometry.ts";
import { type ImageInfo, pageOf } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { KnownImage } from "../service/known.ts";
import { mayHavePyramid } from "./encoding.ts";
import { pyramidKeys } from "./keys.ts";
import { excessOf, isSlow } from "./slow.ts";

/** A plan for a page of an image. */
export interface PlannedPage {
  readonly plan: Plan;
  readonly image: KnownImage;
}

/** Decides which pages need a pyramid. */
export interface Demand {
  /** Whether zooming into the plan's page is slow. */
  isSlow(planned: PlannedPage): boolean;
  /** Estimated cost of a request in excess of its cost with a pyramid, in pixels. */
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

/** Excess cost after which a pyramid is made, as a multiple of the page's pixels. */
const worthwhile = 1.5;

/** The excess cost in pixels after which a page gets a pyramid. */
export const neededExcess = (info: ImageInfo, page: number): number =>
  worthwhile * area(pageOf(info, page)?.size ?? { width: 1, height: 1 });
