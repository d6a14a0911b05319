/** A thread's job: decoding one frame. */
export interface FrameJob {
  readonly coding: "rle" | "jpeg" | "jpegls";
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Of a pixel. */
  readonly samples: 1 | 3;
  /** Bytes per sample of run-length coded frames: 1, 2 or 4. */
  readonly bytesPerSample: number;
}

/** The samples of a frame, little-endian. */
export interface FrameSamples {
  readonly bytes: Uint8Array;
  readonly bytesPerSample: number;
  /** Whether samples are planar. */
  readonly planar: boolean;
  /** Bits per sample in the encoding; 0 where unknown. */
  readonly precision: number;
}
