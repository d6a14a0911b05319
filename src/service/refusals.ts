import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { Admission } from "../core/admission.ts";
import type { Estimate } from "./estimate.ts";
import { type Prepared, renderedFor } from "./prepared.ts";

/** The dependencies of early refusals. */
export interface RefusalDeps {
  readonly admission: Admission;
  readonly cost: Estimate;
  /** Absent: derivatives are not cached. */
  readonly derivatives?: Cache;
  readonly mayBeStored: (prepared: Prepared) => boolean;
  /** Whether the image's page is, or is being, read for it. */
  readonly isRead: (prepared: Prepared) => boolean;
  /** Whether a key is being rendered. */
  readonly isUnderWay: (key: string) => boolean;
}

/**
 * Refuses early what would be refused once prepared: under overload, most requests must cost next
 * to nothing.
 */
export interface Refusals {
  /** Whether anything may be refused at present. */
  readonly areLikely: boolean;
  /** Throws `busy` where rendering would. */
  refuse(prepared: Prepared): void;
  /** As `refuse`, unless the image is being rendered or is in memory. */
  refuseUnlessKept(prepared: Prepared): void;
}

export const createRefusals = ({
  admission,
  cost,
  derivatives,
  mayBeStored,
  isRead,
  isUnderWay,
}: RefusalDeps): Refusals => {
  const refuse = (prepared: Prepared): void => {
    const { plan, image } = renderedFor(prepared);
    if (admission.isCrowded && !mayBeStored(prepared))
      admission.check(cost(plan, image, isRead(prepared)));
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
