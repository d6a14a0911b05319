import type { Size } from "../core/geometry.ts";

/** A stored tile, and where its first pixel lies in the picture that is made of it, perhaps outside. */
export interface PlacedTile {
  readonly bytes: Uint8Array;
  readonly x: number;
  readonly y: number;
}

/** Tiles of 8-bit samples that are to become one JPEG, pixel for pixel. */
export interface TileJob {
  readonly tiles: readonly PlacedTile[];
  /** Of each tile, by its number in TIFF; JPEG tiles are whole JPEGs, decoded ones `none`. */
  readonly compression: number;
  /** TIFF 6.0 section 14: 1 none, 2 differences. */
  readonly predictor: number;
  readonly tile: Size;
  /** 1 grey, 3 RGB. */
  readonly samples: 1 | 3;
  /** Of the picture. */
  readonly size: Size;
  readonly quality: number;
  readonly subsampling: "4:2:0" | "4:4:4";
}

/** Compressed bytes that are to be unpacked into `length` bytes. */
export interface UnpackJob {
  readonly bytes: Uint8Array;
  /** By its number in TIFF. */
  readonly compression: number;
  readonly length: number;
}

/** What a thread is sent. */
export interface TileRequest {
  readonly id: number;
  readonly job: TileJob | UnpackJob;
}

/** What a thread sends back: the JPEG or the unpacked bytes, or why there are none. */
export interface TileAnswer {
  readonly id: number;
  readonly bytes?: Uint8Array;
  readonly damage?: string;
}
