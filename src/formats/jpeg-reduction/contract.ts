import type { Size } from "../../core/geometry.ts";
import type { ReducedImage } from "./layout.ts";

/** A JPEG to be read reduced. */
export interface ReductionJob {
  /** The path of its file, or its bytes. */
  readonly file: string | Uint8Array;
  /** Its size in pixels, known from its info. */
  readonly size: Size;
  /** Whether its colour profile is needed. */
  readonly profiled: boolean;
  /** Pixels per inch, for the result; absent: not known. */
  readonly density: number | undefined;
  readonly wanted: ReducedImage;
  /** Whether parts of it are wanted before the last one. */
  readonly inParts: boolean;
}

/** What a job has so far, and at the end. */
export interface ReductionOutcome {
  /** Absent where the JPEG cannot be read so. */
  readonly part?: TiffPart;
}

/**
 * A part of the reduced image, behind those before. It is an uncompressed TIFF in tiles, with its
 * profile if that is needed.
 */
export interface TiffPart {
  readonly bytes: Uint8Array;
  /** Its position in the TIFF, and the TIFF's length, in bytes. */
  readonly at: number;
  readonly length: number;
  /** The rows of the image that are complete with it. */
  readonly rows: number;
}
