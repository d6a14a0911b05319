import type { ImageInfo } from "../core/info.ts";
import type { SourceObject } from "../core/source.ts";

/** An image the server has looked at. */
export interface KnownImage {
  readonly info: ImageInfo;
  /** Where its bytes are. */
  readonly object: SourceObject;
  /** Changes whenever the stored image changes. */
  readonly version: string;
  readonly lastModified?: Date;
}

/** `use`: take from and give to the caches; `refresh`: draw again and give; `bypass`: neither. */
export type Caching = "use" | "refresh" | "bypass";

/** An image that its object told of. */
export const knownAs = (info: ImageInfo, object: SourceObject): KnownImage => ({
  info,
  object,
  version: object.version,
  ...(object.lastModified ? { lastModified: object.lastModified } : {}),
});
