import type { Size } from "../../../core/geometry.ts";

/** How the tiles of a level are stored: 8-bit samples, side by side. */
export interface TileKind {
  /** By its number in TIFF; JPEG tiles are whole JPEGs. */
  readonly compression: number;
  /** TIFF 6.0 section 14: 1 none, 2 differences. */
  readonly predictor: number;
  readonly tile: Size;
  /** 1 grey, 3 RGB. */
  readonly samples: 1 | 3;
}
