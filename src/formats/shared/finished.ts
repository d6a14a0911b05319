/** A finished image as plain numbers. */
export interface FinishedImage {
  readonly width: number;
  readonly height: number;
  /** Channels per pixel; the last of 2 or 4 is opacity, not premultiplied. */
  readonly samples: 1 | 2 | 3 | 4;
  readonly bits: 8 | 16;
  /** Interleaved; 16-bit samples are little-endian. */
  readonly data: Uint8Array;
  /** ICC; absent: sRGB, or grey with its curve. */
  readonly profile: Uint8Array | undefined;
}
