import { fail } from "../../core/errors.ts";

/** Pixel encodings; kinds of JPEG are distinguished by their own headers. */
export type PixelCoding = "native" | "rle" | "jpeg" | "jpegls" | "jpeg2000";

/** A transfer syntax (DICOM PS3.5, section 10 and annex A). */
export interface Syntax {
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly deflated: boolean;
  readonly coding: PixelCoding;
}

const root = "1.2.840.10008.1.2";

const encapsulated = (coding: PixelCoding): Syntax => ({
  explicit: true,
  littleEndian: true,
  deflated: false,
  coding,
});

const syntaxes: Readonly<Record<string, Syntax>> = {
  [root]: { ...encapsulated("native"), explicit: false },
  [`${root}.1`]: encapsulated("native"),
  [`${root}.1.98`]: encapsulated("native"),
  [`${root}.1.99`]: { ...encapsulated("native"), deflated: true },
  [`${root}.2`]: { ...encapsulated("native"), littleEndian: false },
  [`${root}.4.50`]: encapsulated("jpeg"),
  [`${root}.4.51`]: encapsulated("jpeg"),
  [`${root}.4.57`]: encapsulated("jpeg"),
  [`${root}.4.70`]: encapsulated("jpeg"),
  [`${root}.4.80`]: encapsulated("jpegls"),
  [`${root}.4.81`]: encapsulated("jpegls"),
  [`${root}.4.90`]: encapsulated("jpeg2000"),
  [`${root}.4.91`]: encapsulated("jpeg2000"),
  [`${root}.4.201`]: encapsulated("jpeg2000"),
  [`${root}.4.202`]: encapsulated("jpeg2000"),
  [`${root}.4.203`]: encapsulated("jpeg2000"),
  [`${root}.5`]: encapsulated("rle"),
};

/** The meaning of a transfer syntax UID; throws `unreadable` for unsupported ones. */
export const syntaxOf = (uid: string): Syntax =>
  syntaxes[uid] ??
  fail(
    "unreadable",
    `Expected a DICOM transfer syntax without compression or with RLE, JPEG, JPEG-LS or JPEG 2000, not ${JSON.stringify(uid.slice(0, 64))}.`,
  );
