/** The values of fields: whatever JSON can represent. */
export type Value = string | number | readonly Value[] | { readonly [name: string]: Value };

/** Fields by their names. */
export type Fields = Readonly<Record<string, Value>>;

/** Exif by directory (CIPA DC-008, Exif 3.0, section 4.6); empty ones are absent. */
export interface Exif {
  /** General facts about the image: `Make`, `DateTime`, `Orientation`. */
  readonly image?: Fields;
  /** How it was taken: `ExposureTime`, `DateTimeOriginal`. */
  readonly photo?: Fields;
  readonly gps?: Fields;
  readonly interoperability?: Fields;
  /** Facts about the thumbnail, which itself is omitted. */
  readonly thumbnail?: Fields;
  /** Length in bytes of the maker note, which is omitted. */
  readonly makerNoteBytes?: number;
}

/** XMP (ISO 16684-1). */
export interface Xmp {
  /** As stored, without padding. */
  readonly packet: string;
  /** A JPEG's extended XMP, which did not fit into a segment. */
  readonly extended?: string;
  /**
   * Values by `prefix:name`, with the usual prefix of a namespace where it has one. Bags and
   * sequences are arrays, texts in several languages objects by language, structures objects by
   * `prefix:name`. Empty where the packet is invalid.
   */
  readonly properties: Fields;
}

/** An ICC profile's description of itself (ICC.1:2022, 7.2 and 9.2.41). */
export interface IccProfile {
  /** Empty where it has no name. */
  readonly description: string;
  /** Four letters or fewer: `RGB`, `GRAY`, `CMYK`, `Lab`. */
  readonly colourSpace: string;
  readonly connectionSpace: string;
  /** Four letters: `mntr`, `scnr`, `prtr`, `spac`. */
  readonly deviceClass: string;
  /** As in `4.3`. */
  readonly version: string;
  /** Length of the profile. */
  readonly bytes: number;
}

/** Something specific to the format: a TIFF tag, a PNG text, a comment. */
export interface NativeField {
  readonly name: string;
  /** Absent where the field is too long to show: `bytes` or `count` says how much there is. */
  readonly value?: Value;
  readonly bytes?: number;
  /** Of the values of a TIFF field. */
  readonly count?: number;
  /** Language of a text (RFC 3066), where the file states it. */
  readonly language?: string;
  /** The TIFF directory of the field, counted from 0 along the main chain. */
  readonly directory?: number;
}

/** A file's metadata in one shape for all formats. Missing kinds are absent. */
export interface Metadata {
  readonly exif?: Exif;
  /** By the names of IIM 4.2; repeatable datasets are arrays. */
  readonly iptc?: Fields;
  readonly xmp?: Xmp;
  readonly icc?: IccProfile;
  readonly native?: readonly NativeField[];
  /** What was damaged or too large and is therefore missing, in sentences. */
  readonly problems: readonly string[];
}

/** Fields as an object; undefined where there are none. Of equal names the first counts. */
export const fieldsOf = (entries: Iterable<readonly [string, Value]>): Fields | undefined => {
  const fields = new Map<string, Value>();
  for (const [name, value] of entries) if (!fields.has(name)) fields.set(name, value);
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
};
