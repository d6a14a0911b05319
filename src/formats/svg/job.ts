/** What is asked of a process that draws. */
export interface SvgJob {
  /** A document whose size in pixels is that of the answer. */
  readonly document: string;
  readonly width: number;
  readonly height: number;
}

/** Red, green, blue and opacity, row by row, colours not multiplied by their opacity. */
export interface SvgDrawing {
  readonly pixels: Uint8Array;
}
