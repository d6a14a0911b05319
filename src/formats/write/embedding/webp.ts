import { fail } from "../../../core/errors.ts";
import { extendedHead, hasExif, hasXmp, webpHead } from "../../containers/index.ts";
import type { Embed } from "./blocks.ts";
import { exifBlock } from "./exif.ts";
import { xmpPacket } from "./packet.ts";

const riffHeader = 12;
const flagsAt = 20;

/** Appends the chunks EXIF and XMP to a WebP, in the extended form (RFC 9649, 2.7). */
export const embedInWebp: Embed = (picture, { exif, xmp }) => {
  const head = webpHead(picture) ?? fail("internal", "Expected a WebP to write metadata into.");
  const block = exif && exifBlock(exif);
  const chunks = [
    ...(block ? [chunk("EXIF", block)] : []),
    ...(xmp === undefined ? [] : [chunk("XMP ", xmpPacket(xmp))]),
  ];
  const view = new DataView(picture.buffer, picture.byteOffset, picture.byteLength);
  const isExtended = view.getUint32(riffHeader) === 0x56503858;
  const end = 8 + view.getUint32(4, true);
  const file = Buffer.concat([
    picture.subarray(0, riffHeader),
    ...(isExtended ? [] : [extendedHead(head)]),
    picture.subarray(riffHeader, end),
    Buffer.alloc(end & 1),
    ...chunks,
  ]);
  file.writeUInt32LE(file.length - 8, 4);
  const flags = (block ? hasExif : 0) | (xmp === undefined ? 0 : hasXmp);
  file.writeUInt8(file.readUInt8(flagsAt) | flags, flagsAt);
  return file;
};

const chunk = (type: string, content: Uint8Array): Buffer => {
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
};
