import type { Config } from "../config/store.ts";
import type { Admission, Cost } from "../core/admission.ts";
import type { Plan } from "../core/plan.ts";
import { decodingKeys } from "../formats/shared/keys.ts";
import { costOf } from "../render/cost.ts";
import type { KnownImage } from "./known.ts";

/**
 * Estimates the cost of executing a plan, for admission; `isRead` where its page has been read and
 * scaled already.
 */
export type Estimate = (plan: Plan, image: KnownImage, isRead?: boolean) => Cost;

/** Returns a function that estimates costs. */
export const createEstimate = (config: Config, admission: Admission): Estimate => {
  const settings = config.view(decodingKeys);
  return (plan, { info, object }, isRead = false) =>
    costOf(plan, info, {
      isRead,
      sourceBytes: object.size,
      maxStreamed: Math.min(
        settings()["processor.max_decoded_bytes"],
        // Memory that may not be needed at all must not keep an image from being rendered.
        admission.limits.large.bytes / 2,
      ),
    });
};
