import type { Finished } from "../../shared/index.ts";

/** An image that libvips does not write. Its samples are used up. */
export type EncodeJob = Jpeg2000Job | JpegXlJob;

/**
 * A codestream of JPEG 2000 without what stands around it: 1, 3 or 4 samples of up to 8 bits, or 1
 * of 16.
 */
export interface Jpeg2000Job {
  readonly kind: "jpeg2000";
  readonly picture: Omit<Finished, "profile">;
  /**
   * Of a sample: as many as the image has, or 1 where all samples are 0 or the largest there is.
   */
  readonly bits: 1 | 8 | 16;
  /** Bytes of samples for each byte that is written, about; 0 for without loss. */
  readonly ratio: number;
}

/** A JPEG XL. */
export interface JpegXlJob {
  readonly kind: "jpegxl";
  readonly picture: Finished;
  /** In just noticeable differences; 0 for without loss. */
  readonly distance: number;
  /** 1 to 9. */
  readonly effort: number;
}
