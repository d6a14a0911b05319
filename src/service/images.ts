import type { Cache } from "../caches/cache.ts";
import type { Admission } from "../core/admission.ts";
import type { RequestContext } from "../core/context.ts";
import type { ImageInfo } from "../core/info.ts";
import { type Plan, planKey, type RenderOptions, type ResolvedRequest } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
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
  /** Absent: finished pictures are not kept. */
  readonly derivatives?: Cache;
  readonly admission: Admission;
}

/** The use cases around one image. */
export const createImages = (deps: ImagesDeps): Images => {
  const flights = new SingleFlight<Uint8Array>();

  const drawOnce = async (prepared: Prepared, signal: AbortSignal): Promise<Uint8Array> => {
    const { plan, image } = prepared;
    const reader = await image.object.open();
    try {
      return await deps.render(plan, reader, image.info, signal);
    } finally {
      await reader.close();
    }
  };

  return {
    know: (context, caching) => deps.infos.get(context, caching),

    async prepare(request, context, caching) {
      const image = await deps.infos.get(context, caching);
      const resolution = deps.resolve(request, image.info);
      const plan: Plan = {
        ...resolution.resolved,
        ...deps.renderOptions(resolution.resolved),
        sourceVersion: image.version,
      };
      return { plan, resolution, image, key: planKey(plan) };
    },

    async draw(prepared, { signal }, caching) {
      const { key } = prepared;
      const cache = caching === "bypass" ? undefined : deps.derivatives;
      const kept = caching === "use" ? await cache?.get(key, signal) : undefined;
      if (kept) return kept.body;
      // Who wants it fresh must not be handed a run that began earlier with the same key.
      const flight = caching === "use" ? key : `${caching} ${key}`;
      return flights.run(flight, signal, (shared) =>
        deps.admission.run(shared, async () => {
          const body = await drawOnce(prepared, shared);
          await cache?.put(key, body);
          return body;
        }),
      );
    },
  };
};
