import type { Admission } from "../core/admission.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Cost, LaneName } from "../core/lane.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { PlanExplanation } from "../render/explain.ts";
import type { KnownImage } from "./known.ts";
import { type Prepared, renderedFor } from "./prepared.ts";
import type { PyramidState } from "./pyramids.ts";

/** How a prepared image would be rendered, and its cost. */
export interface Explanation extends PlanExplanation {
  /** The source's file, if it is one. */
  readonly path?: string;
  readonly cost: Cost & { readonly lane: LaneName };
  /** The pyramid made of the page; absent where none are made. */
  readonly pyramid?: PyramidUse;
}

/** What is known of a page's pyramid, and what it does for a request. */
export interface PyramidUse {
  readonly state: PyramidState;
  /** Whether the request uses it. */
  readonly used: boolean;
  /** The cost of the request without it, in pixels. */
  readonly pixelsWithout: number;
  /** The cost of the request with the pyramid, in pixels; estimated if there is none. */
  readonly pixelsWith: number;
}

/** The dependencies of explanations; the same functions that serving uses. */
export interface ExplainDeps {
  readonly approach: (
    plan: Plan,
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ) => Promise<PlanExplanation>;
  readonly admission: Pick<Admission, "laneOf">;
  readonly cost: (plan: Plan, image: KnownImage) => Cost;
  /** What is known of a page's pyramid; absent: none are made. */
  readonly pyramidState?: (prepared: Prepared, signal: AbortSignal) => Promise<PyramidState>;
  /** The estimated cost of a plan that uses a pyramid, in pixels. */
  readonly costWithPyramid: (plan: Plan) => number;
}

/** Explains a prepared request without rendering it. */
export type Explain = (prepared: Prepared, signal: AbortSignal) => Promise<Explanation>;

/** Returns the function that explains requests. */
export const createExplain =
  ({ approach, admission, cost, pyramidState, costWithPyramid }: ExplainDeps): Explain =>
  async (prepared, signal) => {
    const { plan, image } = renderedFor(prepared);
    const reader = await image.object.open(signal);
    try {
      const estimate = cost(plan, image);
      const { path } = reader;
      const state = await pyramidState?.(prepared, signal);
      const used = prepared.pyramid !== undefined;
      const pixelsWithout = cost(prepared.plan, prepared.image).pixels;
      const pixelsWith = used ? estimate.pixels : costWithPyramid(prepared.plan);
      return {
        ...(await approach(plan, reader, image.info, signal)),
        ...(path === undefined || used ? {} : { path }),
        ...(state && { pyramid: { state, used, pixelsWithout, pixelsWith } }),
        cost: { ...estimate, lane: admission.laneOf(estimate) },
      };
    } finally {
      await reader.close();
    }
  };
