import type { Amount } from "../caches/cache.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Traffic } from "../core/source.ts";
import type { Metadata } from "../formats/metadata/index.ts";

/** What there is to be told of an image to whoever looks after the server. */
export interface ImageLookup {
  readonly identifier: string;
  /** The kind of the source it was found in, such as `FilesystemSource`. */
  readonly source: string;
  /**
   * Where it lies: a path, or an address without credentials, query and signature; absent where the
   * source does not say.
   */
  readonly place?: string;
  /**
   * What the workers have asked of its server for it since they found it in this version; absent
   * where it is local.
   */
  readonly traffic?: Traffic;
  /** In bytes. */
  readonly size: number;
  readonly lastModified?: Date;
  /** Changes whenever the stored bytes change. */
  readonly version: string;
  /** Pages, levels, tiles, colour. */
  readonly info: ImageInfo;
  readonly metadata: Metadata;
  /** Finished images of it in the memory of all workers. */
  readonly inMemory: Amount;
  /**
   * Finished images of it in the cache behind that memory; absent where there is none, or it does
   * not say.
   */
  readonly kept?: Amount & {
    /** As the configuration calls it, such as `RedisCache`. */
    readonly kind: string;
  };
}
