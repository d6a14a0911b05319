import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { RequestContext } from "../core/context.ts";
import { SingleFlight } from "../core/singleflight.ts";
import { createDrawAndKeep, type Drawing, type DrawnDeps } from "./drawn-derivatives.ts";
import type { Caching, KnownImage } from "./known.ts";
import type { Prepared } from "./prepared.ts";
import { createPreparing, type Preparing, type PreparingDeps } from "./preparing.ts";
import { createRefusals } from "./refusals.ts";
import { type StoredDeps, storedDerivatives } from "./stored-derivatives.ts";

/** Serves images, whichever version of the API asks. */
export interface Images extends Preparing {
  /** What is known of an image; throws `missing`, `denied`, `unreadable` … */
  know(context: RequestContext, caching: Caching): Promise<KnownImage>;
  /** The finished picture of what was prepared, where nobody need wait for it: kept in memory, or a small tile. */
  drawAtOnce(prepared: Prepared, context: RequestContext, caching: Caching): Uint8Array | undefined;
  /** The finished picture of what was prepared under a key, as long as it is kept in memory and the image is known to be the same. */
  keptAtHand(image: KnownImage, identifier: string, key: string): Uint8Array | undefined;
  /** The finished picture of what was prepared. */
  draw(prepared: Prepared, context: RequestContext, caching: Caching): Promise<Uint8Array>;
}

/** What serving images needs of the rest of the house. */
export interface ImagesDeps extends PreparingDeps, StoredDeps, DrawnDeps {
  /** Absent: finished pictures are not kept. */
  readonly derivatives?: Cache;
}

/** The use cases around one image. */
export const createImages = (deps: ImagesDeps): Images => {
  const flights = new SingleFlight<Uint8Array>();
  const stored = storedDerivatives(deps);
  const refusals = createRefusals({
    ...deps,
    mayBeStored: stored.mayBeStored,
    isUnderWay: (key) => flights.has(key),
  });
  const { prepare, prepareAtOnce } = createPreparing(deps, refusals);
  const drawAndKeep = createDrawAndKeep(deps, stored);

  return {
    know: (context, caching) => {
      context.timings?.enter("info");
      return deps.infos.get(context, caching);
    },

    prepare,
    prepareAtOnce,

    keptAtHand(image, identifier, key) {
      if (deps.infos.atHand(identifier, "use") !== image) return undefined;
      return deps.derivatives?.near?.(derivativeName(key))?.body;
    },

    drawAtOnce(prepared, { timings }, caching) {
      const { key, plan, image } = prepared;
      const cache = caching === "bypass" ? undefined : deps.derivatives;
      timings?.enter("cache");
      const near = caching === "use" ? cache?.near?.(derivativeName(key)) : undefined;
      if (near) return near.body;
      if (!stored.liesReady(prepared, cache)) return undefined;
      const draws =
        cache === undefined &&
        !deps.admission.isCrowded &&
        !flights.has(key) &&
        (deps.quarantine?.glance(plan.identifier, image) ?? true);
      if (!draws && !stored.mayBeStored(prepared)) return undefined;
      timings?.enter(stored.mayBeStored(prepared) ? "stored" : "draw");
      return stored.findAtOnce(prepared, draws);
    },

    async draw(prepared, context, caching) {
      const { timings } = context;
      const { key } = prepared;
      const cache = caching === "bypass" ? undefined : deps.derivatives;
      const isAtHand = stored.liesReady(prepared, cache);
      const found = isAtHand && (await stored.findAtHand(prepared, context.signal, timings));
      if (found) return found;
      const lookUp = caching === "use" ? cache : undefined;
      timings?.enter("cache");
      const near = lookUp?.near?.(derivativeName(key));
      if (near) return near.body;
      // Who wants it fresh must not be handed a run that began earlier with the same key.
      const flight = caching === "use" ? key : `${caching} ${key}`;
      if (lookUp === undefined && !flights.has(flight)) refusals.refuse(prepared);
      timings?.enter("share");
      // The drawing is timed for the request that began it; those that join it only wait.
      const drawing: Drawing = { timings, isSought: isAtHand };
      return flights.run(flight, context.signal, async (signal) => {
        // Looked up within the run: who comes just as one ends finds what that one put.
        timings?.enter("cache");
        const kept = await lookUp?.get(derivativeName(key), signal);
        if (kept) return kept.body;
        return drawAndKeep(prepared, { cache, caching, signal, drawing });
      });
    },
  };
};
