import type { FinalPart } from "../formats/shared/index.ts";
import type { Overview } from "../render/overview.ts";

/** An overview, and how much of it is final. */
export interface GrowingOverview {
  readonly overview: Overview;
  readonly final: FinalPart;
}

interface Waiter {
  readonly isEnough: (growing: GrowingOverview) => boolean;
  readonly resolve: (growing: GrowingOverview) => void;
}

/** An overview that is being made, from the top: tiles need not wait for what is below them. */
export class OverviewInMaking {
  /** The same in all processes. */
  readonly sharedName: string;
  #latest: GrowingOverview | undefined;
  readonly #waiting = new Set<Waiter>();

  constructor(sharedName: string) {
    this.sharedName = sharedName;
  }

  /** Takes what there is of it now. */
  grow(overview: Overview, final: FinalPart): void {
    const latest = { overview, final };
    this.#latest = latest;
    for (const waiter of this.#waiting) {
      if (!waiter.isEnough(latest)) continue;
      this.#waiting.delete(waiter);
      waiter.resolve(latest);
    }
  }

  /** Forgets what there was: it is made in another way. */
  reset(): void {
    this.#latest = undefined;
  }

  /** Resolves once there is enough of it; never if it is completed or fails before that. */
  until(isEnough: Waiter["isEnough"]): Promise<GrowingOverview> {
    const latest = this.#latest;
    if (latest !== undefined && isEnough(latest)) return Promise.resolve(latest);
    return new Promise((resolve) => {
      this.#waiting.add({ isEnough, resolve });
    });
  }
}

/** An overview that is final. */
export const completeOverview = (overview: Overview): GrowingOverview => ({
  overview,
  final: { rows: overview.size.height, bytes: overview.pixels.length },
});
