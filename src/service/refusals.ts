import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { Admission } from "../core/admission.ts";
import type { Cost } from "../core/lane.ts";
import type { Plan } from "../core/plan.ts";
import type { KnownImage } from "./known.ts";
import type { Prepared } from "./prepared.ts";

/** What refusing goes by. */
export interface RefusalDeps {
  readonly admission: Admission;
  /** What drawing a plan will take, estimated without reading anything. */
  readonly cost: (plan: Plan, image: KnownImage) => Cost;
  /** Absent: finished images are not kept. */
  readonly derivatives?: Cache;
  readonly mayBeStored: (prepared: Prepared) => boolean;
  /** Whether somebody has it drawn already, by its key. */
  readonly isUnderWay: (key: string) => boolean;
}

/**
 * Refuses early what would be refused once all is prepared for drawing: when too much is asked for,
 * most of it must cost next to nothing.
 */
export interface Refusals {
  /** Whether anything may be refused at present. */
  readonly areLikely: boolean;
  /** Throws `busy` where drawing would. */
  refuse(prepared: Prepared): void;
  /** As `refuse`, of what is neither under way nor in memory. */
  refuseUnlessKept(prepared: Prepared): void;
}

export const createRefusals = ({
  admission,
  cost,
  derivatives,
  mayBeStored,
  isUnderWay,
}: RefusalDeps): Refusals => {
  const refuse = (prepared: Prepared): void => {
    const { plan, image } = prepared;
    if (admission.isCrowded && !mayBeStored(prepared)) admission.check(cost(plan, image));
  };
  return {
    get areLikely() {
      return admission.isCrowded;
    },

    refuse,

    refuseUnlessKept(prepared) {
      const { key } = prepared;
      if (!isUnderWay(key) && !derivatives?.near?.(derivativeName(key))) refuse(prepared);
    },
  };
};
