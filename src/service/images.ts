import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { Admission, Cost } from "../core/admission.ts";
import type { RequestContext } from "../core/context.ts";
import { area } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import {
  type Plan,
  planKeys,
  planOf,
  type RenderOptions,
  type ResolvedRequest,
} from "../core/plan.ts";
import { type RangeReader, type ReadAtOnce, SourceChanged } from "../core/range-reader.ts";
import type { ImageRequest } from "../core/request.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Timings } from "../core/timings.ts";
import type { Resolution } from "../iiif/version.ts";
import type { Infos } from "./infos.ts";
import type { Caching, KnownImage } from "./known.ts";
import { onceAmongServers } from "./once.ts";
import type { Quarantine, StoredPicture } from "./quarantine.ts";

/** A request that can be met, settled down to the last pixel, with nothing drawn yet. */
export interface Prepared {
  readonly plan: Plan;
  readonly resolution: Resolution;
  readonly image: KnownImage;
  /** The derivative's cache key; also what its ETag is made of. */
  readonly key: string;
  /** The same request settled anew, for when the stored image was replaced since. */
  readonly again?: () => Promise<Prepared>;
}

/** Serves images, whichever version of the API asks. */
export interface Images {
  /** What is known of an image; throws `missing`, `denied`, `unreadable` … */
  know(context: RequestContext, caching: Caching): Promise<KnownImage>;
  /** Settles a request without drawing anything. */
  prepare(request: ImageRequest, context: RequestContext, caching: Caching): Promise<Prepared>;
  /** As `prepare`, where nobody need be asked for it; undefined where somebody has to be. */
  prepareAtOnce(
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Prepared | undefined;
  /** The finished picture of what was prepared, where nobody need wait for it: kept in memory, or a small tile. */
  drawAtOnce(prepared: Prepared, context: RequestContext, caching: Caching): Uint8Array | undefined;
  /** The finished picture of what was prepared under a key, as long as it is kept in memory and the image is known to be the same. */
  keptAtHand(image: KnownImage, identifier: string, key: string): Uint8Array | undefined;
  /** The finished picture of what was prepared. */
  draw(prepared: Prepared, context: RequestContext, caching: Caching): Promise<Uint8Array>;
}

/** What serving images needs of the rest of the house. */
export interface ImagesDeps {
  readonly infos: Infos;
  readonly resolve: (request: ImageRequest, info: ImageInfo) => Resolution;
  readonly renderOptions: (resolved: ResolvedRequest) => RenderOptions;
  readonly render: (
    plan: Plan,
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
    timings?: Timings,
  ) => Promise<Uint8Array>;
  /** The finished picture where its bytes are stored as they are; nothing is drawn for it. */
  readonly stored?: (
    plan: Plan,
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ) => Promise<Uint8Array | undefined>;
  /**
   * As `stored`, and where it finds nothing and `draws` is set as `render`, of what can be had without
   * waiting; undefined for all else.
   */
  readonly atOnce?: (
    plan: Plan,
    read: ReadAtOnce,
    info: ImageInfo,
    draws: boolean,
  ) => Uint8Array | undefined;
  /** Whether `stored` may find something, told without reading anything; absent: always. */
  readonly mayBeStored?: (plan: Plan, info: ImageInfo) => boolean;
  /** Absent: finished pictures are not kept. */
  readonly derivatives?: Cache;
  /** Whether a picture that is kept is farther away than one that is stored in a local file. */
  readonly isFar?: boolean;
  /** Whether servers that share the cache also share the work, where its kind has locks. */
  readonly isSharedWork?: () => boolean;
  readonly admission: Admission;
  /** What keeps pictures away that bring down what draws them; absent: nothing. */
  readonly quarantine?: Pick<Quarantine, "check" | "watch">;
  /** What drawing a plan will take, estimated without reading anything. */
  readonly cost: (plan: Plan, info: ImageInfo) => Cost;
}

/** A tile at most: what is larger had better be held in memory once for all who want it. */
const isSmall = ({ plan: { size } }: Prepared): boolean => area(size) <= mostAtHand;
const mostAtHand = 1_048_576;

interface Drawing {
  readonly timings: Timings | undefined;
  /** Whether it was looked for among the stored tiles, and not found. */
  readonly isSought: boolean;
}

interface Keeping {
  /** Absent: the picture is not kept. */
  readonly cache: Cache | undefined;
  readonly caching: Caching;
  readonly signal: AbortSignal;
  readonly drawing: Drawing;
}

/** The use cases around one image. */
export const createImages = (deps: ImagesDeps): Images => {
  const flights = new SingleFlight<Uint8Array>();
  const keyOf = planKeys();

  const withReader = async <T>(
    { image }: Prepared,
    signal: AbortSignal,
    work: (reader: RangeReader) => Promise<T>,
  ): Promise<T> => {
    const reader = await image.object.open(signal);
    try {
      const result = await work(reader);
      await reader.check?.();
      return result;
    } finally {
      await reader.close();
    }
  };

  const mayBeStored = ({ plan, image: { info } }: Prepared): boolean =>
    deps.stored !== undefined && (deps.mayBeStored?.(plan, info) ?? true);

  /** What is stored as it is wanted, if it is. */
  const findStored = async (
    prepared: Prepared,
    signal: AbortSignal,
    timings?: Timings,
  ): Promise<Uint8Array | undefined> => {
    const { stored } = deps;
    if (stored === undefined || !mayBeStored(prepared)) return undefined;
    const { plan, image } = prepared;
    timings?.enter("stored");
    return withReader(prepared, signal, (reader) => stored(plan, reader, image.info, signal));
  };

  /** Whether it may lie in a file here: that is not kept a second time elsewhere, nor shared, as it costs next to nothing. */
  const liesReady = (prepared: Prepared, cache: Cache | undefined): boolean =>
    (cache === undefined || deps.isFar === true) &&
    isSmall(prepared) &&
    prepared.image.object.local === true;

  /** As `findStored`, for who would rather draw than know that the image was replaced. */
  const findAtHand = async (
    prepared: Prepared,
    signal: AbortSignal,
    timings?: Timings,
  ): Promise<Uint8Array | undefined> => {
    try {
      return await findStored(prepared, signal, timings);
    } catch (error) {
      if (error instanceof SourceChanged) return undefined;
      throw error;
    }
  };

  /** What is stored as it is wanted costs next to nothing, and waits for nobody. */
  const findOrDraw = async (
    prepared: Prepared,
    signal: AbortSignal,
    { timings, isSought }: Drawing,
  ): Promise<Uint8Array> => {
    const { plan, image } = prepared;
    const found = isSought ? undefined : await findStored(prepared, signal, timings);
    if (found) return found;
    const { quarantine } = deps;
    const picture: StoredPicture = { identifier: plan.identifier, version: image.version };
    quarantine?.check(picture);
    timings?.enter("wait");
    const render = (): Promise<Uint8Array> =>
      withReader(prepared, signal, (reader) =>
        deps.render(plan, reader, image.info, signal, timings),
      );
    return deps.admission.run(deps.cost(plan, image.info), signal, () =>
      quarantine ? quarantine.watch(picture, render) : render(),
    );
  };

  /** Throws `busy` where drawing would: when too much is asked for, most of it must cost next to nothing. */
  const refuseEarly = (prepared: Prepared): void => {
    const { plan, image } = prepared;
    if (deps.admission.isCrowded && !mayBeStored(prepared))
      deps.admission.check(deps.cost(plan, image.info));
  };

  /** A picture of one state of the image: what was replaced on the way is settled and drawn anew. */
  const drawWhole = async (
    prepared: Prepared,
    signal: AbortSignal,
    drawing: Drawing,
  ): Promise<{ readonly body: Uint8Array; readonly key: string }> => {
    try {
      return { body: await findOrDraw(prepared, signal, drawing), key: prepared.key };
    } catch (error) {
      if (!(error instanceof SourceChanged) || !prepared.again) throw error;
      deps.infos.forget(prepared.plan.identifier, prepared.image);
      const { again: _, ...fresh } = await prepared.again();
      return drawWhole(fresh, signal, { ...drawing, isSought: false });
    }
  };

  const drawAndKeep = async (
    prepared: Prepared,
    { cache, caching, signal, drawing }: Keeping,
  ): Promise<Uint8Array> => {
    const draw = async (): Promise<Uint8Array> => {
      const drawn = await drawWhole(prepared, signal, drawing);
      drawing.timings?.enter("keep");
      await cache?.put(derivativeName(drawn.key), drawn.body);
      return drawn.body;
    };
    if (cache?.lock === undefined || caching !== "use" || !deps.isSharedWork?.()) return draw();
    return onceAmongServers({ cache, name: derivativeName(prepared.key), signal }, draw);
  };

  const prepare = async (
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Promise<Prepared> => {
    const { timings } = context;
    timings?.enter("info");
    if (deps.admission.isCrowded && caching === "use") refuseUnseen(request, context);
    const image = await deps.infos.get(context, caching);
    return settle(image, request, context, caching);
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
   * As `refuseEarly`, by what was last known of the image, where nothing is kept far away: when too
   * much is asked for, looking whether the image is still the same takes its time, too.
   */
  const refuseUnseen = (request: ImageRequest, context: RequestContext): void => {
    const known = deps.isFar === true ? undefined : deps.infos.lastKnown(context.identifier);
    const prepared = known && settledByThen(known, request, context);
    if (prepared === undefined) return;
    if (flights.has(prepared.key) || deps.derivatives?.near?.(derivativeName(prepared.key))) return;
    refuseEarly(prepared);
  };

  /** What a request came to by what was known; undefined where that does not have it, as what is there by now may. */
  const settledByThen = (
    known: KnownImage,
    request: ImageRequest,
    context: RequestContext,
  ): Prepared | undefined => {
    try {
      return settle(known, request, context, "use");
    } catch {
      return undefined;
    }
  };

  const tileAtOnce = (
    { plan, image: { info, object } }: Prepared,
    draws: boolean,
  ): Uint8Array | undefined => {
    const { atOnce } = deps;
    return atOnce && object.atOnce?.((read) => atOnce(plan, read, info, draws));
  };

  return {
    know: (context, caching) => {
      context.timings?.enter("info");
      return deps.infos.get(context, caching);
    },

    prepare,

    prepareAtOnce(request, context, caching) {
      context.timings?.enter("info");
      const image = deps.infos.atHand(context.identifier, caching);
      return image && settle(image, request, context, caching);
    },

    keptAtHand(image, identifier, key) {
      if (deps.infos.atHand(identifier, "use") !== image) return undefined;
      return deps.derivatives?.near?.(derivativeName(key))?.body;
    },

    drawAtOnce(prepared, { timings }, caching) {
      const { key } = prepared;
      const cache = caching === "bypass" ? undefined : deps.derivatives;
      timings?.enter("cache");
      const near = caching === "use" ? cache?.near?.(derivativeName(key)) : undefined;
      if (near) return near.body;
      if (!liesReady(prepared, cache)) return undefined;
      const draws = cache === undefined && !deps.admission.isCrowded && !flights.has(key);
      if (!draws && !mayBeStored(prepared)) return undefined;
      timings?.enter(mayBeStored(prepared) ? "stored" : "draw");
      return tileAtOnce(prepared, draws);
    },

    async draw(prepared, context, caching) {
      const { timings } = context;
      const { key } = prepared;
      const cache = caching === "bypass" ? undefined : deps.derivatives;
      const isAtHand = liesReady(prepared, cache);
      const found = isAtHand && (await findAtHand(prepared, context.signal, timings));
      if (found) return found;
      const lookUp = caching === "use" ? cache : undefined;
      timings?.enter("cache");
      const near = lookUp?.near?.(derivativeName(key));
      if (near) return near.body;
      // Who wants it fresh must not be handed a run that began earlier with the same key.
      const flight = caching === "use" ? key : `${caching} ${key}`;
      if (lookUp === undefined && !flights.has(flight)) refuseEarly(prepared);
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
