/** A rendering process's job. */
export interface SvgJob {
  /** A document whose size in pixels is that of the result. */
  readonly document: string;
  readonly width: number;
  readonly height: number;
}

/** Red, green, blue and opacity, row by row, not premultiplied. */
export interface SvgDrawing {
  readonly pixels: Uint8Array;
}
