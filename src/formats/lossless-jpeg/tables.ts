import { fail } from "../../core/errors.ts";
import type { Codes } from "./bits.ts";

/** The tables set up by segments before a scan. */
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
  /** Of lossless images the number of dropped bits. */
  readonly low: number;
  /** Offset of its bits. */
  readonly at: number;
}

/** A table that a scan names; throws `unreadable` where it is missing. */
export const tableOf = <T>(tables: readonly (T | undefined)[], number: number): T =>
  tables[number] ??
  fail("unreadable", "A JPEG of the DICOM file refers to a table that it does not define.");
