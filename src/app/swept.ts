import type { ServerPyramids } from "../pyramids/pyramids.ts";
import type { Derivatives } from "../service/caching.ts";
import type { SourceCopies } from "../service/source-copies.ts";
import type { SweptPlace } from "../service/sweeping.ts";

/** The places that a worker sweeps: its own, and the first worker also the shared ones. */
export const sweptBy = (
  worker: number,
  {
    derivatives,
    copies,
    pyramids,
  }: {
    readonly derivatives: Derivatives | undefined;
    readonly copies: SourceCopies;
    readonly pyramids: ServerPyramids | undefined;
  },
): readonly SweptPlace[] => {
  const isFirst = worker === 1;
  const places: SweptPlace[] = isFirst ? [...copies.swept] : [];
  if (isFirst && pyramids) places.push({ name: "pyramids", sweep: pyramids.sweep });
  if (derivatives && (isFirst || derivatives.kind === "HeapCache")) {
    const { kind, cache } = derivatives;
    places.unshift({ name: kind, sweep: (signal) => cache.sweep(signal) });
  }
  return places;
};
