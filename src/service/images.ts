import type { Cache } from "../caches/cache.ts";
import type { Admission, Cost } from "../core/admission.ts";
import type { RequestContext } from "../core/context.ts";
import type { ImageInfo } from "../core/info.ts";
import { type Plan, planKey, type RenderOptions, type ResolvedRequest } from "../core/plan.ts";
import { type RangeReader, SourceChanged } from "../core/range-reader.ts";
import type { ImageRequest } from "../core/request.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Resolution } from "../iiif/version.ts";
import type { Infos } from "./infos.ts";
import type { Caching, KnownImage } from "./known.ts";

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
  ) => Promise<Uint8Array>;
  /** The finished picture where its bytes are stored as they are; nothing is drawn for it. */
  readonly stored?: (
    plan: Plan,
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ) => Promise<Uint8Array | undefined>;
  /** Absent: finished pictures are not kept. */
  readonly derivatives?: Cache;
  readonly admission: Admission;
  /** What drawing a plan will take, estimated without reading anything. */
  readonly cost: (plan: Plan, info: ImageInfo) => Cost;
}

/** The use cases around one image. */
export const createImages = (deps: ImagesDeps): Images => {
  const flights = new SingleFlight<Uint8Array>();

  const withReader = async <T>(
    { image }: Prepared,
    work: (reader: RangeReader) => Promise<T>,
  ): Promise<T> => {
    const reader = await image.object.open();
    try {
      const result = await work(reader);
      await reader.check?.();
      return result;
    } finally {
      await reader.close();
    }
  };

  /** What is stored as it is wanted costs next to nothing, and waits for nobody. */
  const findOrDraw = async (prepared: Prepared, signal: AbortSignal): Promise<Uint8Array> => {
    const { plan, image } = prepared;
    const { stored } = deps;
    const found =
      stored && (await withReader(prepared, (reader) => stored(plan, reader, image.info, signal)));
    if (found) return found;
    return deps.admission.run(deps.cost(plan, image.info), signal, () =>
      withReader(prepared, (reader) => deps.render(plan, reader, image.info, signal)),
    );
  };

  /** A picture of one state of the image: what was replaced on the way is settled and drawn anew. */
  const drawWhole = async (
    prepared: Prepared,
    signal: AbortSignal,
  ): Promise<{ readonly body: Uint8Array; readonly key: string }> => {
    try {
      return { body: await findOrDraw(prepared, signal), key: prepared.key };
    } catch (error) {
      if (!(error instanceof SourceChanged) || !prepared.again) throw error;
      deps.infos.forget(prepared.plan.identifier, prepared.image);
      const { again: _, ...fresh } = await prepared.again();
      return drawWhole(fresh, signal);
    }
  };

  const prepare = async (
    request: ImageRequest,
    context: RequestContext,
    caching: Caching,
  ): Promise<Prepared> => {
    const image = await deps.infos.get(context, caching);
    const resolution = deps.resolve(request, image.info);
    const plan: Plan = {
      ...resolution.resolved,
      ...deps.renderOptions(resolution.resolved),
      sourceVersion: image.version,
    };
    const again = (): Promise<Prepared> => prepare(request, context, caching);
    return { plan, resolution, image, key: planKey(plan), again };
  };

  return {
    know: (context, caching) => deps.infos.get(context, caching),

    prepare,

    async draw(prepared, { signal }, caching) {
      const { key } = prepared;
      const cache = caching === "bypass" ? undefined : deps.derivatives;
      const kept = caching === "use" ? await cache?.get(key, signal) : undefined;
      if (kept) return kept.body;
      // Who wants it fresh must not be handed a run that began earlier with the same key.
      const flight = caching === "use" ? key : `${caching} ${key}`;
      return flights.run(flight, signal, async (shared) => {
        const drawn = await drawWhole(prepared, shared);
        await cache?.put(drawn.key, drawn.body);
        return drawn.body;
      });
    },
  };
};
