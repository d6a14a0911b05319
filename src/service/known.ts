import type { ImageInfo } from "../core/info.ts";
import type { SourceObject } from "../core/source.ts";

/** An image whose info was read. */
export interface KnownImage {
  readonly info: ImageInfo;
  /** The stored object. */
  readonly object: SourceObject;
  /** Changes whenever the stored image changes. */
  readonly version: string;
  readonly lastModified?: Date;
}

/** `use`: read and write caches; `refresh`: render again and write; `bypass`: neither. */
export type Caching = "use" | "refresh" | "bypass";

/** An image whose info was read from its object. */
export const knownImageOf = (info: ImageInfo, object: SourceObject): KnownImage => ({
  info,
  object,
  version: object.version,
  ...(object.lastModified ? { lastModified: object.lastModified } : {}),
});
