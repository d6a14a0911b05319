import type { Rect, Size } from "../../core/geometry.ts";
import type { Filter } from "../../core/plan.ts";
import type { Sampling } from "../shared/index.ts";
import type { SampleJob, TileKind } from "../tiff/codecs/index.ts";

/** A stored tile, and the position of its first pixel in the output image, perhaps outside. */
export interface PlacedTile {
  readonly bytes: Uint8Array;
  readonly x: number;
  readonly y: number;
  /** Its number within the level, row by row; set where decoded tiles are cached. */
  readonly number?: number;
}

/** Tiles to be joined to one JPEG, pixel for pixel. */
export interface TileJob extends TileKind {
  readonly tiles: readonly PlacedTile[];
  /**
   * Whether the tiles' bytes are shared with others: then a thread gets copies. Absent: their
   * memory is transferred.
   */
  readonly isShared?: boolean;
  /** Size of the image. */
  readonly size: Size;
  readonly quality: number;
  readonly subsampling: "4:2:0" | "4:4:4";
}

/** Tiles of a level to be scaled to one JPEG. */
export interface ScaleJob extends TileKind {
  /** Row by row, `columns` in each; positions are relative to `region`. */
  readonly tiles: readonly PlacedTile[];
  /** As in `TileJob`. */
  readonly isShared?: boolean;
  readonly columns: number;
  /** The part of the level that the image is made of, in pixels of the level. */
  readonly region: Rect;
  /** Size of the level. */
  readonly level: Size;
  readonly across: Sampling;
  readonly down: Sampling;
  readonly filter: Filter;
  readonly quality: number;
  readonly subsampling: "4:2:0" | "4:4:4";
  /** The level's slot in `DecodedTiles`; tiles that are present there come without bytes. */
  readonly decoded?: SharedArrayBuffer | undefined;
  /** Shared memory: nonzero once nobody waits for the image any more. */
  readonly left: Int32Array;
}

/** The result requested from a thread: a JPEG, or samples. */
export type ThreadJob = TileJob | ScaleJob | SampleJob;
