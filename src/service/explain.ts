import type { Admission } from "../core/admission.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Cost, LaneName } from "../core/lane.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { PlanExplanation } from "../render/explain.ts";
import type { KnownImage } from "./known.ts";
import type { Prepared } from "./prepared.ts";

/** How a prepared image would be rendered, and its cost. */
export interface Explanation extends PlanExplanation {
  /** The source's file, if it is one. */
  readonly path?: string;
  readonly cost: Cost & { readonly lane: LaneName };
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
}

/** Explains a prepared request without rendering it. */
export type Explain = (prepared: Prepared, signal: AbortSignal) => Promise<Explanation>;

/** Returns the function that explains requests. */
export const createExplain =
  ({ approach, admission, cost }: ExplainDeps): Explain =>
  async ({ plan, image }, signal) => {
    const reader = await image.object.open(signal);
    try {
      const estimate = cost(plan, image);
      const { path } = reader;
      return {
        ...(await approach(plan, reader, image.info, signal)),
        ...(path === undefined ? {} : { path }),
        cost: { ...estimate, lane: admission.laneOf(estimate) },
      };
    } finally {
      await reader.close();
    }
  };
