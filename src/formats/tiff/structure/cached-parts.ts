import type { ByteCache } from "../../shared/index.ts";
import type { AssembledField } from "./assembly.ts";
import type { TileHead } from "./tile-head.ts";

/** Caches for what is read of one state of a TIFF file. */
export interface CachedParts {
  /** Identifies the state of the file, within this process; prefix of the keys of all parts. */
  readonly id: number;
  /** Parts of lists of offsets and lengths. */
  readonly lists: ByteCache<string, Float64Array>;
  readonly fields: ByteCache<string, readonly AssembledField[]>;
  /** The head of a level's tiles that makes JPEGs of them. */
  readonly heads: ByteCache<string, TileHead>;
}
