import type { Amount } from "../caches/cache.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Traffic } from "../core/source.ts";
import type { Metadata } from "../formats/metadata/index.ts";
import type { PagePyramidState } from "../service/page-pyramids.ts";

/** An image's details for operators. */
export interface ImageLookup {
  readonly identifier: string;
  /** The kind of the source it was found in, such as `FilesystemSource`. */
  readonly source: string;
  /**
   * Its location: a path, or a URL without credentials, query and signature; absent where the
   * source does not say.
   */
  readonly place?: string;
  /**
   * The workers' requests to its server since they found it in this version; absent for local
   * images.
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
  /** The pyramids of its first 100 pages; absent if switched off or not determined in time. */
  readonly pyramids?: readonly PagePyramidState[];
  /** Its derivatives in the memory of all workers. */
  readonly inMemory: Amount;
  /**
   * Its derivatives in the cache behind that memory; absent where there is none, or it does not
   * say.
   */
  readonly kept?: Amount & {
    /** Its name in the configuration, such as `RedisCache`. */
    readonly kind: string;
  };
}
