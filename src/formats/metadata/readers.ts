import type { Resources } from "../pool/index.ts";
import type { ProfileReading } from "./jpegxl-profile.ts";

/**
 * Readers of metadata that needs more than the file; where one is absent, that metadata is not
 * read.
 */
export interface MetadataReaders {
  /** Reads profiles within JPEG XL. */
  readonly profiles?: ProfileReading;
  /** The threads that open PDF documents. */
  readonly resources?: Resources;
}
