/** A finished image as plain numbers. */
export interface Finished {
  readonly width: number;
  readonly height: number;
  /** To a pixel; the last of 2 or 4 is transparency, not multiplied into the others. */
  readonly samples: 1 | 2 | 3 | 4;
  readonly bits: 8 | 16;
  /** Pixel by pixel; of 16 bits, the least significant byte first. */
  readonly data: Uint8Array;
  /** ICC; sRGB, or shades of grey with its curve, where there is none. */
  readonly profile: Uint8Array | undefined;
}
