import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { Admission, Cost } from "../core/admission.ts";
import type { Prepared } from "./prepared.ts";

/** The dependencies of early refusals. */
export interface RefusalDeps {
  readonly admission: Admission;
  /** The estimated cost of what is still to be done; reads nothing. */
  readonly costOf: (prepared: Prepared) => Cost;
  /** Absent: derivatives are not cached. */
  readonly derivatives?: Cache;
  readonly mayBeStored: (prepared: Prepared) => boolean;
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
  costOf,
  derivatives,
  mayBeStored,
  isUnderWay,
}: RefusalDeps): Refusals => {
  const refuse = (prepared: Prepared): void => {
    if (admission.isCrowded && !mayBeStored(prepared)) admission.check(costOf(prepared));
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
