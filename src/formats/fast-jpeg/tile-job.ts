import type { Rect, Size } from "../../core/geometry.ts";
import type { Filter } from "../../core/plan.ts";
import type { Sampling } from "../shared/index.ts";
import type { SampleJob, TileKind } from "../tiff/codecs/index.ts";

/**
 * A stored tile, and where its first pixel lies in the image that is made of it, perhaps outside.
 */
export interface PlacedTile {
  readonly bytes: Uint8Array;
  readonly x: number;
  readonly y: number;
  /** Its number within the level, row by row; set where decoded tiles are kept. */
  readonly number?: number;
}

/** Tiles that are to become one JPEG, pixel for pixel. */
export interface TileJob extends TileKind {
  readonly tiles: readonly PlacedTile[];
  /**
   * Whether others have the tiles' bytes, too: then a thread gets copies. Absent: their memory is
   * given away.
   */
  readonly isShared?: boolean;
  /** Of the image. */
  readonly size: Size;
  readonly quality: number;
  readonly subsampling: "4:2:0" | "4:4:4";
}

/** Tiles of a level that are to become one JPEG at another scale. */
export interface ScaleJob extends TileKind {
  /** Row by row, `columns` in each; places are relative to `region`. */
  readonly tiles: readonly PlacedTile[];
  /** As in `TileJob`. */
  readonly isShared?: boolean;
  readonly columns: number;
  /** What of the level the tiles show and the image is made of, in pixels of the level. */
  readonly region: Rect;
  /** Of the level. */
  readonly level: Size;
  readonly across: Sampling;
  readonly down: Sampling;
  readonly filter: Filter;
  readonly quality: number;
  readonly subsampling: "4:2:0" | "4:4:4";
  /**
   * Where decoded tiles of the level are kept, as `DecodedTiles` has it; those that are there come
   * without bytes.
   */
  readonly decoded?: SharedArrayBuffer | undefined;
  /** Shared between threads: other than 0 once nobody waits for the image any more. */
  readonly left: Int32Array;
}

/** What a thread is asked for: a JPEG, or samples. */
export type ThreadJob = TileJob | ScaleJob | SampleJob;
