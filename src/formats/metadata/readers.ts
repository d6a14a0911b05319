import type { Resources } from "../pool/index.ts";
import type { ProfileReading } from "./jpegxl-profile.ts";

/**
 * What reading some metadata takes beside the file; where it is absent, that metadata is not read.
 */
export interface MetadataReaders {
  /** Reads profiles within JPEG XL. */
  readonly profiles?: ProfileReading;
  /** Has the threads that open PDF documents. */
  readonly resources?: Resources;
}
