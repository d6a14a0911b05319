import type { FinishedImage } from "../../shared/index.ts";

/** An image in a format that libvips does not write. Takes over its samples. */
export type EncodeJob = Jpeg2000Job | JpegXlJob;

/** A JPEG 2000 codestream without boxes: 1, 3 or 4 samples of up to 8 bits, or 1 of 16. */
export interface Jpeg2000Job {
  readonly kind: "jpeg2000";
  readonly picture: Omit<FinishedImage, "profile">;
  /** Bits per sample: as many as the image has, or 1 where all samples are 0 or the maximum. */
  readonly bits: 1 | 8 | 16;
  /** Approximate compression ratio; 0 for lossless. */
  readonly ratio: number;
}

/** A JPEG XL. */
export interface JpegXlJob {
  readonly kind: "jpegxl";
  readonly picture: FinishedImage;
  /** In just noticeable differences; 0 for lossless. */
  readonly distance: number;
  /** 1 to 9. */
  readonly effort: number;
}
