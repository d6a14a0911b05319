import type { Settings } from "../../config/keys.ts";
import type { Limiter } from "../../core/limiter.ts";
import type { Version } from "../../iiif/version.ts";
import type { presentationKeys } from "../../presentation/keys.ts";
import type { PresentationVersion } from "../../presentation/views.ts";
import type { IiifDeps } from "../permission/deps.ts";
import type { HttpDeps, PresentationSources } from "../request/deps.ts";

/** The dependencies of the requests to one version of the Presentation API. */
export interface PresentationDeps
  extends Pick<
      IiifDeps,
      | "images"
      | "outputs"
      | "limits"
      | "identifierSyntax"
      | "identifierReader"
      | "isTransformed"
      | "clientCache"
      | "cacheHeaders"
      | "replays"
    >,
    Pick<HttpDeps, "delegate" | "policy" | "auth" | "log">,
    PresentationSources {
  readonly presentation: PresentationVersion;
  /** The Cache-Control of documents, which caches must revalidate. */
  readonly documentCacheHeaders: IiifDeps["cacheHeaders"];
  readonly settings: () => Settings<typeof presentationKeys>;
  /** The versions of the Image API in documents, the preferred one first; at least one. */
  readonly imageVersions: () => readonly [Version, ...Version[]];
  /** Limits the number of documents that are generated at the same time. */
  readonly limiter: Limiter;
}

/** How a response depends on its client. */
export interface Dependence {
  readonly personal: boolean;
  readonly byToken: boolean;
  readonly byCookie: boolean;
  /** Seconds after which the URL expires; absent where it does not. */
  readonly seconds?: number;
}

/** A document, before it is sent. */
export interface Made {
  readonly json: Record<string, unknown>;
  readonly dependence: Dependence;
}
