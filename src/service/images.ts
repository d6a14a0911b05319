import type { RequestContext } from "../core/context.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { ImageRequest } from "../core/request.ts";
import type { Resolution } from "../iiif/version.ts";

/** An image the server has looked at. */
export interface KnownImage {
  readonly info: ImageInfo;
  /** Changes whenever the stored image changes. */
  readonly version: string;
  readonly lastModified?: Date;
}

/** A request that can be met, settled down to the last pixel, with nothing drawn yet. */
export interface Prepared {
  readonly plan: Plan;
  readonly resolution: Resolution;
  readonly image: KnownImage;
  /** The derivative's cache key; also what its ETag is made of. */
  readonly key: string;
}

/** `use`: take from and give to the caches; `refresh`: draw anew and give; `bypass`: neither. */
export type Caching = "use" | "refresh" | "bypass";

/** Serves images, whichever version of the API asks. */
export interface Images {
  /** What is known of an image; throws `missing`, `denied`, `unreadable` … */
  know(context: RequestContext, caching: Caching): Promise<KnownImage>;
  /** Settles a request without drawing anything. */
  prepare(request: ImageRequest, context: RequestContext, caching: Caching): Promise<Prepared>;
  /** The finished picture of what was prepared. */
  draw(prepared: Prepared, context: RequestContext, caching: Caching): Promise<Uint8Array>;
}
