import type { PdfAsking } from "../pdf/asking.ts";
import type { ProfileReading } from "./jpegxl-profile.ts";

/** What reads metadata that nobody finds by ranges alone; what nobody reads is not told. */
export interface MetadataReaders {
  /** Profiles within JPEG XL. */
  readonly profiles?: ProfileReading;
  /** PDF documents. */
  readonly documents?: PdfAsking;
}
