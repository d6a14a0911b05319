import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { KnownImage } from "./known.ts";
import type { Prepared } from "./prepared.ts";
import type { PyramidState } from "./pyramids.ts";

/** The state of the pyramid of a page, and its gain. */
export interface PagePyramidState {
  /** Counted from 1. */
  readonly page: number;
  readonly state: PyramidState;
  /**
   * How many times cheaper it makes zooming into the page: the greatest ratio of estimated costs
   * without and with it; at least 1.
   */
  readonly gain: number;
}

/** The dependencies of the function below. */
export interface PagePyramidsDeps {
  /** A plan for the whole page, counted from 0. */
  readonly planFor: (identifier: string, image: KnownImage, page: number) => Plan;
  readonly stateOf: (
    prepared: Pick<Prepared, "plan" | "image">,
    signal: AbortSignal,
  ) => Promise<PyramidState>;
  /** The gain of a pyramid for a page; `plan` is any plan for the page. */
  readonly gain: (plan: Plan, page: Page, image: KnownImage) => number;
}

/** The pyramids of the first pages of an image. */
export type PagePyramids = (
  identifier: string,
  image: KnownImage,
  signal: AbortSignal,
) => Promise<readonly PagePyramidState[]>;

/** Maximum number of pages that are examined. */
const maxPages = 100;

/** Returns a function that returns the states of an image's pyramids. */
export const createPagePyramids =
  ({ planFor, stateOf, gain }: PagePyramidsDeps): PagePyramids =>
  async (identifier, image, signal) => {
    const found: PagePyramidState[] = [];
    for (const [at, page] of image.info.pages.slice(0, maxPages).entries()) {
      const plan = planFor(identifier, image, at);
      const state = await stateOf({ plan, image }, signal);
      found.push({ page: at + 1, state, gain: gain(plan, page, image) });
    }
    return found;
  };
