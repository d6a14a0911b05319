/** What a field may hold: nothing but what JSON can carry. */
export type Value = string | number | readonly Value[] | { readonly [name: string]: Value };

/** Fields by their names. */
export type Fields = Readonly<Record<string, Value>>;

/**
 * Exif by its directories (CIPA DC-008, Exif 3.0, section 4.6); each one absent where it holds
 * nothing.
 */
export interface Exif {
  /** What is said of the image in general: `Make`, `DateTime`, `Orientation`. */
  readonly image?: Fields;
  /** How it was taken: `ExposureTime`, `DateTimeOriginal`. */
  readonly photo?: Fields;
  readonly gps?: Fields;
  readonly interoperability?: Fields;
  /** What is said of the small image beside it, which is left out itself. */
  readonly thumbnail?: Fields;
  /** Length in bytes of the maker's own note, which is left out. */
  readonly makerNoteBytes?: number;
}

/** XMP (ISO 16684-1). */
export interface Xmp {
  /** As it is stored, without the padding around it. */
  readonly packet: string;
  /** What a JPEG keeps beside it, because it did not fit into a segment. */
  readonly extended?: string;
  /**
   * Values by `prefix:name`, with the usual prefix of a namespace where it has one. Bags and
   * sequences are arrays, texts in several languages objects by language, structures objects by
   * `prefix:name`. Empty where the packet cannot be understood.
   */
  readonly properties: Fields;
}

/** What an ICC profile says of itself (ICC.1:2022, 7.2 and 9.2.41). */
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

/** Something that only the format itself knows: a tag of TIFF, a text of PNG, a comment. */
export interface NativeField {
  readonly name: string;
  /**
   * Absent where the field is told of, but not shown: `bytes` or `count` says how much there is.
   */
  readonly value?: Value;
  readonly bytes?: number;
  /** Of the values of a TIFF field. */
  readonly count?: number;
  /** Language of a text (RFC 3066), where the file tells it. */
  readonly language?: string;
  /** The directory of a TIFF that the field is in, counted from 0 along the main chain. */
  readonly directory?: number;
}

/**
 * All that a file says beside its pixels, of one shape for all formats. What it does not have is
 * absent.
 */
export interface Metadata {
  readonly exif?: Exif;
  /** By the names of IIM 4.2; datasets that may be repeated are arrays. */
  readonly iptc?: Fields;
  readonly xmp?: Xmp;
  readonly icc?: IccProfile;
  readonly native?: readonly NativeField[];
  /** What was damaged or too large and is therefore left out, in sentences. */
  readonly problems: readonly string[];
}

/** Fields as an object; undefined where there are none. Of equal names the first counts. */
export const fieldsOf = (entries: Iterable<readonly [string, Value]>): Fields | undefined => {
  const fields = new Map<string, Value>();
  for (const [name, value] of entries) if (!fields.has(name)) fields.set(name, value);
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
};
