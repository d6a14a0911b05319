/** What a thread is asked to decode: one frame. */
export interface FrameJob {
  readonly coding: "rle" | "jpeg" | "jpegls";
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Of a pixel. */
  readonly samples: 1 | 3;
  /** Of run-length coded frames: 1, 2 or 4. */
  readonly bytesPerSample: number;
}

/** The samples of a frame, the lower byte of each first. */
export interface FrameSamples {
  readonly bytes: Uint8Array;
  readonly bytesPerSample: number;
  /** Whether all of the first component come first. */
  readonly planar: boolean;
  /** Bits that the coding gave a sample; 0 where it does not say. */
  readonly precision: number;
}
