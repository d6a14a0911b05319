import type { Settings } from "../../config/keys.ts";
import type { IdentifierSyntax } from "../../core/identifier.ts";
import type { Limits } from "../../iiif/limits.ts";
import type { Syntax, Version } from "../../iiif/version.ts";
import type { Documents } from "../../service/documents.ts";
import type { dateTexts } from "../request/conditional.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { InlineNames } from "../request/disposition.ts";
import type { currentCacheHeaders } from "../request/headers.ts";
import type { IdentifierReader } from "../request/identifiers.ts";
import type { clientCacheKeys } from "../request/keys.ts";
import type { CacheQueryGuard } from "./cache-query.ts";
import type { Replays } from "./replays.ts";

/** The dependencies of the requests to one version of the API. */
export interface IiifDeps
  extends Pick<
    HttpDeps,
    "images" | "outputs" | "lacking" | "delegate" | "embedded" | "policy" | "auth" | "overlays"
  > {
  readonly version: Version;
  /** Limits on the version's URLs. */
  readonly syntax: () => Syntax;
  readonly limits: () => Limits;
  readonly identifierSyntax: () => IdentifierSyntax;
  readonly identifierReader: IdentifierReader;
  /** Whether the delegate reads and writes identifiers. */
  readonly isTransformed: () => boolean;
  readonly clientCache: () => Settings<typeof clientCacheKeys>;
  readonly cacheHeaders: ReturnType<typeof currentCacheHeaders>;
  readonly dateText: ReturnType<typeof dateTexts>;
  readonly fileNames: InlineNames;
  /** The cached info.json documents. */
  readonly documents: Documents;
  readonly replays: Replays;
  readonly guardCacheQuery: CacheQueryGuard;
}
