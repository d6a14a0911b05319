import { pointerTags } from "../../metadata/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";
import type { ExifFields } from "./blocks.ts";

const headerBytes = 8;
const entryBytes = 12;

/**
 * A block of Exif (CIPA DC-008, 4.5): a little-endian TIFF without an image; undefined where there
 * are no fields.
 */
export const exifBlock = ({ image, exif, gps }: ExifFields): Buffer | undefined => {
  if (image.length + exif.length + gps.length === 0) return undefined;
  const [exifLead, gpsLead] = [pointerField(pointerTags.exif, 0), pointerField(pointerTags.gps, 0)];
  const first = [
    ...image,
    ...(exif.length > 0 ? [exifLead] : []),
    ...(gps.length > 0 ? [gpsLead] : []),
  ];
  const exifAt = headerBytes + directoryBytes(first);
  const gpsAt = exifAt + (exif.length > 0 ? directoryBytes(exif) : 0);
  const placed = first.map((field) => {
    if (field === exifLead) return pointerField(pointerTags.exif, exifAt);
    return field === gpsLead ? pointerField(pointerTags.gps, gpsAt) : field;
  });
  return Buffer.concat([
    Buffer.from([0x49, 0x49, 42, 0, headerBytes, 0, 0, 0]),
    directory(placed, headerBytes),
    ...(exif.length > 0 ? [directory(exif, exifAt)] : []),
    ...(gps.length > 0 ? [directory(gps, gpsAt)] : []),
  ]);
};

/** A field with one file position. */
export const pointerField = (tag: number, at: number): AssembledField => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(at);
  return { tag, type: 4, count: 1, bytes };
};

/** Length in bytes of a directory and of the values that do not fit into it, always even. */
export const directoryBytes = (fields: readonly AssembledField[]): number =>
  fields.reduce(
    (sum, { bytes }) =>
      sum + entryBytes + (bytes.length > 4 ? bytes.length + (bytes.length & 1) : 0),
    2 + 4,
  );

/**
 * A directory for a position in a file, followed by its values, without a next one (TIFF 6.0,
 * section 2).
 */
export const directory = (fields: readonly AssembledField[], at: number): Buffer => {
  const file = Buffer.alloc(directoryBytes(fields));
  file.writeUInt16LE(fields.length);
  let end = 2 + fields.length * entryBytes + 4;
  for (const [index, { tag, type, count, bytes }] of fields
    .toSorted((one, other) => one.tag - other.tag)
    .entries()) {
    const entry = 2 + index * entryBytes;
    file.writeUInt16LE(tag, entry);
    file.writeUInt16LE(type, entry + 2);
    file.writeUInt32LE(count, entry + 4);
    if (bytes.length <= 4) file.set(bytes, entry + 8);
    else {
      file.writeUInt32LE(at + end, entry + 8);
      file.set(bytes, end);
      end += bytes.length + (bytes.length & 1);
    }
  }
  return file;
};
