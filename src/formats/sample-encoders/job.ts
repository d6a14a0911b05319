import type { Finished } from "../finished.ts";

/** A picture that an encoder of codecs/ writes. Its samples are used up. */
export type EncodeJob = Jpeg2000Job | JpegXlJob;

/** A codestream of JPEG 2000 without what stands around it. */
export interface Jpeg2000Job {
  readonly kind: "jpeg2000";
  readonly picture: Omit<Finished, "profile">;
  /** Of a sample: as many as the picture has, or 1 where all samples are 0 or the largest there is. */
  readonly bits: 1 | 8 | 16;
  /** How coarse the samples are made, in steps of 1 of 255; 0 for without loss. */
  readonly step: number;
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
