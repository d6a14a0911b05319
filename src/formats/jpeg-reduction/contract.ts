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
}

/** The result of a job. */
export interface ReductionOutcome {
  /**
   * The reduced image as an uncompressed TIFF in tiles, with its profile if that is needed; absent
   * where it cannot be read so.
   */
  readonly tiff?: Uint8Array;
}
