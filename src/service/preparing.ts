import type { RequestContext } from "../core/context.ts";
import type { ImageInfo } from "../core/info.ts";
import { planKeys, planOf, type RenderOptions, type ResolvedRequest } from "../core/plan.ts";
import type { ImageRequest } from "../core/request.ts";
import type { Resolution } from "../iiif/version.ts";
import { isOutlineSufficient } from "../render/outline.ts";
import type { Infos } from "./infos.ts";
import type { Caching, KnownImage } from "./known.ts";
import type { Prepared } from "./prepared.ts";
import type { Pyramids } from "./pyramids.ts";
import type { Refusals } from "./refusals.ts";

/** The dependencies of preparing requests. */
export interface PreparingDeps {
  readonly infos: Infos;
  readonly resolve: (request: ImageRequest, info: ImageInfo) => Resolution;
  readonly renderOptions: (resolved: ResolvedRequest) => RenderOptions;
  /** Whether the derivative cache is slower than a stored tile of a local file. */
  readonly isFar?: boolean;
  /** Pyramids of images that are slow to zoom; absent: there are none. */
  readonly pyramids?: Pyramids;
}

/** Prepares requests without rendering. */
export interface Preparing {
  /** The prepared request; throws what reading its info and resolving it throw, and `busy`. */
  prepare(request: ImageRequest, context: RequestContext, caching: Caching): Promise<Prepared>;
  /** As `prepare`, where everything needed is in memory; undefined otherwise. */
  prepareSync(
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Prepared | undefined;
}

export const createPreparing = (deps: PreparingDeps, refusals: Refusals): Preparing => {
  const keyOf = planKeys();

  const prepare = async (
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Promise<Prepared> => {
    const { timings } = context;
    timings?.enter("info");
    if (refusals.areLikely && caching === "use") refuseUnseen(request, context);
    const sufficient = context.delegate ? "whole" : "outline";
    const image = await deps.infos.get(context, caching, sufficient);
    const settled = settleBy(image, request, context, caching);
    if (settled) return withPyramid(settled, context, caching);
    timings?.enter("info");
    const whole = await deps.infos.get(context, caching);
    return withPyramid(settle(whole, request, context, caching), context, caching);
  };

  const withPyramid = async (
    prepared: Prepared,
    { signal }: RequestContext,
    caching: Caching,
  ): Promise<Prepared> => {
    if (deps.pyramids === undefined || caching === "bypass") return prepared;
    return { ...prepared, ...(await deps.pyramids.find(prepared, signal)) };
  };

  /** As `settle`; undefined where the known extent of the info does not suffice. */
  const settleBy = (
    image: KnownImage,
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Prepared | undefined => {
    const { info } = image;
    // Delegates are given the number of pages.
    if (info.isOutline && (request.id.page !== 1 || context.delegate)) return undefined;
    const prepared = settle(image, request, context, caching);
    return isOutlineSufficient(prepared.plan, info) ? prepared : undefined;
  };

  const settle = (
    image: KnownImage,
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Prepared => {
    context.timings?.enter("plan");
    const resolution = deps.resolve(request, image.info);
    const { resolved } = resolution;
    const options = deps.renderOptions(resolved);
    const plan = planOf(resolved, options, image.version);
    const again = (): Promise<Prepared> => prepare(request, context, caching);
    return { plan, resolution, image, key: keyOf(plan, options), again };
  };

  /**
   * Refuses requests by the last known info under overload, unless the cache is remote: then even
   * confirming the image costs too much.
   */
  const refuseUnseen = (request: ImageRequest, context: RequestContext): void => {
    const known = deps.isFar === true ? undefined : deps.infos.lastKnown(context.identifier);
    const prepared = known && settledByThen(known, request, context);
    if (prepared !== undefined) refusals.refuseUnlessKept(prepared);
  };

  /**
   * Resolves a request by the last known info; undefined where that does not allow it, since the
   * current image may.
   */
  const settledByThen = (
    known: KnownImage,
    request: ImageRequest,
    context: RequestContext,
  ): Prepared | undefined => {
    try {
      return settleBy(known, request, context, "use");
    } catch {
      return undefined;
    }
  };

  return {
    prepare,

    prepareSync(request, context, caching) {
      context.timings?.enter("info");
      const image = deps.infos.cached(context.identifier, caching);
      const settled = image && settleBy(image, request, context, caching);
      if (settled === undefined || deps.pyramids === undefined) return settled;
      const effect = deps.pyramids.cached(settled);
      if (effect === "unknown") return undefined;
      return effect ? { ...settled, ...effect } : settled;
    },
  };
};
