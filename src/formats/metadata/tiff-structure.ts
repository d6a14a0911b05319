import type { FileHandle } from "node:fs/promises";
import { fail } from "../../core/errors.ts";

/** The source of a TIFF's bytes: a file, or a block of Exif. */
export interface TiffSource {
  /** Exactly so many bytes; undefined where it ends before. */
  at(offset: number, length: number): Promise<Buffer | undefined>;
}

/** A block in memory. */
export const memorySource = (bytes: Buffer): TiffSource => ({
  at: async (offset, length) =>
    offset + length <= bytes.length ? bytes.subarray(offset, offset + length) : undefined,
});

/** An open file of a given length. */
export const wholeFile = (file: Pick<FileHandle, "read">): TiffSource => ({
  async at(offset, length) {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, offset);
    return bytesRead === length ? bytes : undefined;
  },
});

/** The encoding of a TIFF's numbers. */
export interface TiffLayout {
  readonly source: TiffSource;
  readonly littleEndian: boolean;
  readonly big: boolean;
  /** Position of the first directory; 0 where there is none. */
  readonly first: number;
}

/** One field of a directory: the position of its values, not the values themselves. */
export interface TiffField {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** Position of the first value. */
  readonly at: number;
  /** Length of all values in bytes; NaN where the type is unknown. */
  readonly bytes: number;
}

/** A directory and the position of the next one, 0 where it is the last. */
export interface TiffDirectory {
  readonly fields: readonly TiffField[];
  readonly next: number;
}

const maxFields = 4_096;

/** Parses the header (TIFF 6.0, section 2; BigTIFF); throws `unreadable` where it is invalid. */
export const openTiff = async (source: TiffSource): Promise<TiffLayout> => {
  const header = await source.at(0, 8);
  const order = header?.toString("latin1", 0, 2);
  if (header === undefined || (order !== "II" && order !== "MM"))
    return fail("unreadable", "Expected TIFF or Exif data; it has a different signature.");
  const littleEndian = order === "II";
  const version = littleEndian ? header.readUInt16LE(2) : header.readUInt16BE(2);
  if (version === 43) {
    const wide = await source.at(8, 8);
    if (wide === undefined) return fail("unreadable", "Truncated BigTIFF header.");
    return { source, littleEndian, big: true, first: unsigned(wide, 0, 8, littleEndian) };
  }
  if (version !== 42)
    return fail("unreadable", `Expected a TIFF of version 42 or 43, not ${version}.`);
  return { source, littleEndian, big: false, first: unsigned(header, 4, 4, littleEndian) };
};

/** Some writers put this before a block of Exif, as in a JPEG. */
const exifStart = Buffer.from("Exif\0\0", "latin1");

/** As `openTiff`, of an Exif block, which is a TIFF without an image. */
export const openExif = (block: Buffer): Promise<TiffLayout> => {
  const hasStart = block.subarray(0, exifStart.length).equals(exifStart);
  return openTiff(memorySource(hasStart ? block.subarray(exifStart.length) : block));
};

/**
 * Parses a directory; fields of unknown types are skipped. Throws `unreadable` where it is
 * truncated.
 */
export const readDirectory = async (layout: TiffLayout, at: number): Promise<TiffDirectory> => {
  const { source, littleEndian, big } = layout;
  const sizes = big ? { count: 8, field: 20, offset: 8 } : { count: 2, field: 12, offset: 4 };
  const head = await source.at(at, sizes.count);
  const count = head === undefined ? 0 : unsigned(head, 0, sizes.count, littleEndian);
  if (count > maxFields)
    fail("unreadable", `Expected at most ${maxFields} fields in a directory; it has ${count}.`);
  const body = at + sizes.count;
  const bytes = await source.at(body, count * sizes.field);
  if (head === undefined || bytes === undefined)
    return fail("unreadable", `Expected a directory at byte ${at}; the file ends before it.`);
  const copy = Buffer.from(bytes);
  const fields = Array.from({ length: count }, (_, index) => {
    const start = index * sizes.field;
    const type = unsigned(copy, start + 2, 2, littleEndian);
    const values = unsigned(copy, start + 4, sizes.offset, littleEndian);
    const length = values * (valueSizes[type] ?? Number.NaN);
    const valueAt = start + 4 + sizes.offset;
    return {
      tag: unsigned(copy, start, 2, littleEndian),
      type,
      count: values,
      at:
        length <= sizes.offset
          ? body + valueAt
          : unsigned(copy, valueAt, sizes.offset, littleEndian),
      bytes: length,
    };
  });
  // Blocks of single images may end without the link.
  const link = await source.at(body + count * sizes.field, sizes.offset);
  return { fields, next: link === undefined ? 0 : unsigned(link, 0, sizes.offset, littleEndian) };
};

/** The stored bytes of a field's values; undefined where they are outside the source. */
export const fieldBytes = (
  { source }: TiffLayout,
  { at, bytes }: TiffField,
): Promise<Buffer | undefined> =>
  Number.isSafeInteger(at + bytes) ? source.at(at, bytes) : Promise.resolve(undefined);

/** The values of a field of integers; undefined where there is none. */
export const fieldNumbers = async (
  layout: TiffLayout,
  { fields }: TiffDirectory,
  tag: number,
): Promise<readonly number[] | undefined> => {
  const field = fields.find((one) => one.tag === tag);
  const bytes = field && (await fieldBytes(layout, field));
  if (field === undefined || bytes === undefined) return undefined;
  const width = field.bytes / field.count;
  return Array.from({ length: field.count }, (_, index) =>
    unsigned(bytes, index * width, width, layout.littleEndian),
  );
};

/** The position that a field of a directory leads to; 0 where there is none. */
export const pointerOf = async (
  layout: TiffLayout,
  { fields }: TiffDirectory,
  tag: number,
): Promise<number> => {
  const field = fields.find((one) => one.tag === tag);
  if (field === undefined || field.count !== 1 || (field.bytes !== 4 && field.bytes !== 8))
    return 0;
  const bytes = await fieldBytes(layout, field);
  return bytes === undefined ? 0 : unsigned(bytes, 0, field.bytes, layout.littleEndian);
};

/**
 * Bytes per value by field type (TIFF 6.0, section 2; BigTIFF; Exif 3.0 for 129, which is UTF-8).
 */
export const valueSizes: Readonly<Record<number, number>> = {
  ...{ 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4 },
  ...{ 16: 8, 17: 8, 18: 8, 129: 1 },
};

/** A number of 2, 4 or 8 bytes; one above 2^53 is approximate and beyond every file. */
export const unsigned = (
  bytes: Buffer,
  at: number,
  size: number,
  littleEndian: boolean,
): number => {
  if (size < 8) return littleEndian ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  return Number(littleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
};
