import type { ByteCache } from "../../shared/index.ts";
import type { AssembledField } from "./assembly.ts";

/** Where what is read of one state of a TIFF file is kept for the next who reads it. */
export interface CachedParts {
  /** Names the state of the file, within this process; the keys of all parts begin with it. */
  readonly id: number;
  /** Parts of lists of offsets and lengths. */
  readonly lists: ByteCache<string, Float64Array>;
  readonly fields: ByteCache<string, readonly AssembledField[]>;
  /** What stands before the tiles of a level to make JPEGs of them. */
  readonly heads: ByteCache<string, Uint8Array>;
}
