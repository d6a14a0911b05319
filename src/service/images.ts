import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { RequestContext } from "../core/context.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Timings } from "../core/timings.ts";
import type { Execution } from "../render/execution.ts";
import { createDrawAndKeep, type DrawnDeps } from "./drawn-derivatives.ts";
import { createExecutions, type ExecutionDeps, findCached } from "./execution.ts";
import type { Caching, KnownImage } from "./known.ts";
import type { Extent } from "./learned-info.ts";
import { type Prepared, renderedFor } from "./prepared.ts";
import { createPreparing, type Preparing, type PreparingDeps } from "./preparing.ts";
import { createRefusals } from "./refusals.ts";

/** Serves images, for all versions of the API. */
export interface Images extends Preparing {
  /**
   * The info of an image: complete, unless an outline suffices; throws `missing`, `denied`,
   * `unreadable` …
   */
  know(context: RequestContext, caching: Caching, sufficient?: Extent): Promise<KnownImage>;
  /**
   * The cached derivative with a name, while it is in memory and the image is known to be
   * unchanged.
   */
  cachedNow(image: KnownImage, identifier: string, name: string): Uint8Array | undefined;
  /** Whether `cachedNow` finds the image; does not count as use. */
  isCached(image: KnownImage, identifier: string, name: string): boolean;
  /** The name of the derivative with a plan's key, if `isCached`; undefined otherwise. */
  cachedName(image: KnownImage, identifier: string, key: string): string | undefined;
  /** The derivative of a prepared request; synchronous where it is in memory or a small tile. */
  draw(
    prepared: Prepared,
    context: RequestContext,
    caching: Caching,
  ): Uint8Array | Promise<Uint8Array>;
}

/** The dependencies of serving images. */
export interface ImagesDeps extends PreparingDeps, ExecutionDeps, DrawnDeps {
  /** Absent: derivatives are not cached. */
  readonly derivatives?: Cache;
}

/** The use cases around one image. */
export const createImages = (deps: ImagesDeps): Images => {
  const flights = new SingleFlight<Uint8Array>();
  const walking = createExecutions(deps);
  const refusals = createRefusals({
    ...deps,
    mayBeStored: walking.mayBeStored,
    costOf(prepared) {
      const { plan, image } = renderedFor(prepared);
      const { cost, overviews } = deps;
      const overview = overviews && walking.overviewOf(prepared);
      if (overview === undefined || !overviews?.takes(overview)) return cost(plan, image);
      if (overviews.has(overview)) return cost(plan, image, true);
      return { ...cost(plan, image), isAwaited: true };
    },
    isUnderWay: (key) => flights.has(key),
  });
  const { prepare, prepareSync } = createPreparing(deps, refusals);
  const drawAndKeep = createDrawAndKeep(deps, walking);

  /** The caches to read from and write to. */
  const cachesFor = (caching: Caching) => ({
    cache: caching === "bypass" ? undefined : deps.derivatives,
    lookUp: caching === "use" ? deps.derivatives : undefined,
  });

  /** The image, or how far it got without waiting; undefined where nothing was tried. */
  const beginSync = (
    prepared: Prepared,
    cache: Cache | undefined,
    timings: Timings | undefined,
  ): Uint8Array | Execution | undefined => {
    const { key, plan, image } = prepared;
    const draws =
      cache === undefined &&
      !deps.admission.isCrowded &&
      !flights.has(key) &&
      (deps.quarantine?.glance(plan.identifier, image) ?? true);
    return walking.beginSync(prepared, draws, timings);
  };

  const drawLater = async (
    prepared: Prepared,
    begun: Execution | undefined,
    { signal, timings }: RequestContext,
    caching: Caching,
  ): Promise<Uint8Array> => {
    const { key } = prepared;
    const { cache, lookUp } = cachesFor(caching);
    // A refresh must not join a run that began earlier with the same key.
    const flight = caching === "use" ? key : `${caching} ${key}`;
    let walk = begun;
    const give = (): Execution | undefined => {
      const given = walk;
      walk = undefined;
      return given;
    };
    try {
      if (walking.liesReady(prepared, cache)) {
        walk ??= await walking.begin(prepared, timings);
        const found = await findCached(prepared, walk, signal);
        if (found) return found;
        timings?.enter("cache");
        const near = lookUp?.near?.(derivativeName(key));
        if (near) return near.body;
      }
      if (flights.has(flight)) give()?.drop();
      else if (lookUp === undefined) refusals.refuse(prepared);
      timings?.enter("share");
      // The timings of a render belong to the request that began it; requests that join it only
      // wait.
      return await flights.run(flight, signal, async (own) => {
        // Looked up within the run: a request that comes just as another ends finds that one's
        // entry.
        timings?.enter("cache");
        const kept = await lookUp?.get(derivativeName(key), own);
        if (kept) return kept.body;
        return drawAndKeep(prepared, { cache, caching, signal: own, timings, walk: give() });
      });
    } finally {
      give()?.drop();
    }
  };

  const isCached: Images["isCached"] = (image, identifier, name) =>
    deps.infos.cached(identifier, "use") === image && deps.derivatives?.has?.(name) === true;

  return {
    know: (context, caching, sufficient) => {
      context.timings?.enter("info");
      return deps.infos.get(context, caching, sufficient);
    },

    prepare,
    prepareSync,

    cachedNow(image, identifier, name) {
      if (deps.infos.cached(identifier, "use") !== image) return undefined;
      return deps.derivatives?.near?.(name)?.body;
    },

    isCached,

    cachedName(image, identifier, key) {
      if (deps.derivatives?.has === undefined) return undefined;
      const name = derivativeName(key);
      return isCached(image, identifier, name) ? name : undefined;
    },

    draw(prepared, context, caching) {
      const { timings } = context;
      const { cache, lookUp } = cachesFor(caching);
      timings?.enter("cache");
      const near = lookUp?.near?.(derivativeName(prepared.key));
      if (near) return near.body;
      const begun = walking.liesReady(prepared, cache)
        ? beginSync(prepared, cache, timings)
        : undefined;
      return begun instanceof Uint8Array ? begun : drawLater(prepared, begun, context, caching);
    },
  };
};
