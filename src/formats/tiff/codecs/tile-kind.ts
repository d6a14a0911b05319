import type { Size } from "../../../core/geometry.ts";

/** The format of a level's tiles: 8-bit samples, interleaved. */
export interface TileKind {
  /** TIFF's compression number; JPEG tiles are whole JPEGs. */
  readonly compression: number;
  /** TIFF 6.0 section 14: 1 none, 2 differences. */
  readonly predictor: number;
  readonly tile: Size;
  /** 1 grey, 3 RGB. */
  readonly samples: 1 | 3;
}
