import type { Orientation } from "../../../core/geometry.ts";
import { orientationInXmp, orientationOf } from "../../shared/index.ts";
import { tags } from "../../tiff/structure/index.ts";

/** The orientation of an image by Exif, or else XMP; 1 where neither has one. */
export const orientationIn = (
  metadata: Partial<Record<"exif" | "xmp", Uint8Array>>,
): Orientation => {
  const { exif, xmp } = metadata;
  const said = exif && tagInExif(exif);
  return said === undefined ? orientationInXmp(xmp) : orientationOf(said);
};

/** Some writers put this before the TIFF, as in a JPEG. */
const jpegStart = "Exif\0\0";
const entryBytes = 12;

/**
 * The orientation in the first directory of an Exif block (TIFF 6.0 section 2); undefined without
 * one.
 */
const tagInExif = (block: Uint8Array): number | undefined => {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const hasStart = bytes.toString("latin1", 0, jpegStart.length) === jpegStart;
  const tiff = bytes.subarray(hasStart ? jpegStart.length : 0);
  const order = tiff.toString("latin1", 0, 2);
  if (tiff.length < 10 || (order !== "II" && order !== "MM")) return undefined;
  const short = (at: number): number =>
    order === "II" ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const directory = order === "II" ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return undefined;
  const entries = short(directory);
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * entryBytes;
    if (at + entryBytes > tiff.length) return undefined;
    if (short(at) === tags.orientation) return short(at + 8);
  }
  return undefined;
};
