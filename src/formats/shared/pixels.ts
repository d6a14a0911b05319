/** Interleaved values of 8 or 16 bits. */
export type Values = Uint8Array | Uint16Array;

/** Bits per sample. */
export type Depth = 8 | 16;

/** Decoded pixels, interleaved: the channels of the colour model, then opacity, if any. */
export interface DecodedPixels {
  readonly values: Values;
  /**
   * Whether the values are shared: then they must be neither changed nor transferred. Absent: they
   * are not.
   */
  readonly isShared?: boolean;
  readonly depth: Depth;
  /** Samples per pixel. */
  readonly channels: number;
}
