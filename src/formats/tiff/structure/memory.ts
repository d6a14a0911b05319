import type { ByteBound } from "../../shared/index.ts";
import type { Field } from "./assembly.ts";

/** Where what is read of one state of a TIFF file is kept for the next who reads it. */
export interface KeptParts {
  /** Names the state of the file, within this process; the keys of all parts begin with it. */
  readonly id: number;
  /** Parts of lists of offsets and lengths. */
  readonly lists: ByteBound<string, Float64Array>;
  readonly fields: ByteBound<string, readonly Field[]>;
  /** What stands before the tiles of a level to make JPEGs of them. */
  readonly heads: ByteBound<string, Uint8Array>;
}
