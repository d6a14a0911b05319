import type { Config } from "../config/store.ts";
import type { Admission, Cost } from "../core/admission.ts";
import type { Plan } from "../core/plan.ts";
import { decodingKeys } from "../formats/shared/keys.ts";
import { costOf } from "../render/cost.ts";
import type { KnownImage } from "./known.ts";

/** Returns a function that estimates the cost of executing a plan, for admission. */
export const createEstimate = (
  config: Config,
  admission: Admission,
): ((plan: Plan, image: KnownImage) => Cost) => {
  const settings = config.view(decodingKeys);
  return (plan, { info, object }) =>
    costOf(plan, info, {
      sourceBytes: object.size,
      maxStreamed: Math.min(
        settings()["processor.max_decoded_bytes"],
        // Memory that may not be needed at all must not keep an image from being rendered.
        admission.limits.large.bytes / 2,
      ),
    });
};
