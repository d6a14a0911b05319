import { fail } from "../../core/errors.ts";
import type { Codes } from "./bits.ts";

/** What the segments before a scan have set up. */
export interface JpegTables {
  /** Tables for differences and lossless samples, by number. */
  readonly dc: (Codes | undefined)[];
  readonly ac: (Codes | undefined)[];
  readonly quantisation: (Uint16Array | undefined)[];
  /** In units of the scan; 0 for none. */
  restart: number;
}

/** The header of a scan (B.2.3). */
export interface JpegScan {
  readonly parts: readonly { readonly index: number; readonly dc: number; readonly ac: number }[];
  /** Of lossless images the predictor. */
  readonly start: number;
  /** Of lossless images the bits that were dropped. */
  readonly low: number;
  /** Where its bits begin. */
  readonly at: number;
}

/** A table that a scan names; throws `unreadable` where there is none. */
export const tableOf = <T>(tables: readonly (T | undefined)[], number: number): T =>
  tables[number] ?? fail("unreadable", "Expected the tables that a JPEG of the DICOM file names.");
