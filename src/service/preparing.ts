import type { RequestContext } from "../core/context.ts";
import type { ImageInfo } from "../core/info.ts";
import { planKeys, planOf, type RenderOptions, type ResolvedRequest } from "../core/plan.ts";
import type { ImageRequest } from "../core/request.ts";
import type { Resolution } from "../iiif/version.ts";
import { isSettledBy } from "../render/outline.ts";
import type { Infos } from "./infos.ts";
import type { Caching, KnownImage } from "./known.ts";
import type { Prepared } from "./prepared.ts";
import type { Refusals } from "./refusals.ts";

/** What settling requests needs of the rest of the house. */
export interface PreparingDeps {
  readonly infos: Infos;
  readonly resolve: (request: ImageRequest, info: ImageInfo) => Resolution;
  readonly renderOptions: (resolved: ResolvedRequest) => RenderOptions;
  /** Whether an image that is kept is farther away than one that is stored in a local file. */
  readonly isFar?: boolean;
}

/** Settles requests without drawing anything. */
export interface Preparing {
  /**
   * What a request comes to; throws what learning of its image and resolving it does, and `busy`.
   */
  prepare(request: ImageRequest, context: RequestContext, caching: Caching): Promise<Prepared>;
  /** As `prepare`, where nobody need be asked for it; undefined where somebody has to be. */
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
    if (settled) return settled;
    timings?.enter("info");
    return settle(await deps.infos.get(context, caching), request, context, caching);
  };

  /** As `settle`; undefined where what is known of the image does not suffice. */
  const settleBy = (
    image: KnownImage,
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Prepared | undefined => {
    const { info } = image;
    // A delegate is told how many pages there are.
    if (info.isOutline && (request.id.page !== 1 || context.delegate)) return undefined;
    const prepared = settle(image, request, context, caching);
    return isSettledBy(prepared.plan, info) ? prepared : undefined;
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
   * Refuses by what was last known of the image, where nothing is kept far away: when too much is
   * asked for, looking whether the image is still the same takes its time, too.
   */
  const refuseUnseen = (request: ImageRequest, context: RequestContext): void => {
    const known = deps.isFar === true ? undefined : deps.infos.lastKnown(context.identifier);
    const prepared = known && settledByThen(known, request, context);
    if (prepared !== undefined) refusals.refuseUnlessKept(prepared);
  };

  /**
   * What a request came to by what was known; undefined where that does not have it, as what is
   * there by now may.
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
      return image && settleBy(image, request, context, caching);
    },
  };
};
