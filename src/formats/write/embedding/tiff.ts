import { fail } from "../../../core/errors.ts";
import { pointerTags } from "../../metadata/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";
import type { Embed } from "./blocks.ts";
import { directory, pointerField } from "./exif.ts";
import { xmpPacket } from "./packet.ts";

const entryBytes = 12;
const inline = 4;

/**
 * Adds fields to the first directory of a little-endian TIFF (XMP Part 3, 1.1.6; Exif 3.0, 4.6.3):
 * it is rewritten at the end of the file, and references the existing pixels.
 */
export const embedInTiff: Embed = (picture, { exif, xmp, iptc }) => {
  const file = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  if (file.toString("latin1", 0, 4) !== "II*\0")
    fail("internal", "Expected a little-endian TIFF to write metadata into.");
  const { entries, next } = firstDirectory(file);
  const known = new Set(entries.map((entry) => entry.readUInt16LE(0)));
  const added = [
    ...(exif?.image ?? []),
    ...(xmp === undefined ? [] : [bytesField(pointerTags.xmp, xmpPacket(xmp))]),
    ...(iptc ? [bytesField(pointerTags.iptc, iptc)] : []),
  ].filter(({ tag }) => !known.has(tag));
  const parts: Buffer[] = [file, Buffer.alloc(file.length & 1)];
  let end = file.length + (file.length & 1);
  const put = (bytes: Buffer): number => {
    const at = end;
    parts.push(bytes, Buffer.alloc(bytes.length & 1));
    end += bytes.length + (bytes.length & 1);
    return at;
  };
  for (const [tag, fields = []] of [
    [pointerTags.exif, exif?.exif],
    [pointerTags.gps, exif?.gps],
  ] as const)
    if (fields.length > 0) added.push(pointerField(tag, put(directory(fields, end))));
  const rows = [
    ...entries,
    ...added.map((field) => entryOf(field, (bytes) => put(Buffer.from(bytes)))),
  ].sort((one, other) => one.readUInt16LE(0) - other.readUInt16LE(0));
  const [count, link] = [Buffer.alloc(2), Buffer.alloc(4)];
  count.writeUInt16LE(rows.length);
  link.writeUInt32LE(next);
  const at = put(Buffer.concat([count, ...rows, link]));
  const written = Buffer.concat(parts);
  written.writeUInt32LE(at, 4);
  return written;
};

/** The raw entries of the first directory, and the position of the next one. */
const firstDirectory = (
  file: Buffer,
): { readonly entries: readonly Buffer[]; readonly next: number } => {
  const start = file.readUInt32LE(4) + 2;
  const count = file.readUInt16LE(start - 2);
  const entries = Array.from({ length: count }, (_, index) => {
    const at = start + index * entryBytes;
    return file.subarray(at, at + entryBytes);
  });
  return { entries, next: file.readUInt32LE(start + count * entryBytes) };
};

const bytesField = (tag: number, bytes: Uint8Array): AssembledField => ({
  tag,
  type: 1,
  count: bytes.length,
  bytes,
});

const entryOf = (
  { tag, type, count, bytes }: AssembledField,
  put: (bytes: Uint8Array) => number,
): Buffer => {
  const entry = Buffer.alloc(entryBytes);
  entry.writeUInt16LE(tag);
  entry.writeUInt16LE(type, 2);
  entry.writeUInt32LE(count, 4);
  if (bytes.length <= inline) entry.set(bytes, 8);
  else entry.writeUInt32LE(put(bytes), 8);
  return entry;
};
