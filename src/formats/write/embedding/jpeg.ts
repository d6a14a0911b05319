import { hash } from "node:crypto";
import { fail } from "../../../core/errors.ts";
import { markers } from "../../containers/index.ts";
import type { Embed } from "./blocks.ts";
import { exifBlock } from "./exif.ts";
import { packetNaming, xmpMeta, xmpPacket } from "./packet.ts";

/** Maximum content of a segment (ITU-T T.81, B.1.1.4). */
const longestContent = 65_533;

const exifMark = Buffer.from("Exif\0\0", "latin1");
const xmpMark = Buffer.from("http://ns.adobe.com/xap/1.0/\0", "latin1");
const extendedMark = Buffer.from("http://ns.adobe.com/xmp/extension/\0", "latin1");
const photoshopMark = Buffer.from("Photoshop 3.0\0", "latin1");
/**
 * Overhead of a part of extended XMP: its mark, a digest, the whole length and the part's offset.
 */
const longestPart = longestContent - extendedMark.length - 40;

/**
 * Writes segments after that of JFIF, or first where there is none: Exif, XMP, IPTC (Exif 3.0, 4.7;
 * XMP Part 3, 1.1.3).
 */
export const embedInJpeg: Embed = (picture, { exif, xmp, iptc }) => {
  if (picture[0] !== 0xff || picture[1] !== markers.startOfImage)
    fail("internal", "Expected a JPEG to write metadata into.");
  const isJfif = picture[2] === 0xff && picture[3] === markers.app0;
  const at = isJfif ? 4 + (((picture[4] ?? 0) << 8) | (picture[5] ?? 0)) : 2;
  const block = exif && exifBlock(exif);
  return Buffer.concat([
    picture.subarray(0, at),
    ...(block && block.length <= longestContent - exifMark.length
      ? [segment(markers.app1, exifMark, block)]
      : []),
    ...(xmp === undefined ? [] : xmpSegments(xmp)),
    ...(iptc ? [segment(markers.app13, photoshopMark, photoshopResource(iptc))] : []),
    picture.subarray(at),
  ]);
};

const segment = (marker: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const length = content.length + 2;
  return Buffer.concat([Uint8Array.of(0xff, marker, length >> 8, length & 255), content]);
};

/** XMP too long for a segment becomes extended XMP, in parts (XMP Part 3, 1.1.3.1). */
const xmpSegments = (xmp: string): readonly Buffer[] => {
  const packet = xmpPacket(xmp);
  if (packet.length <= longestContent - xmpMark.length)
    return [segment(markers.app1, xmpMark, packet)];
  const extended = Buffer.from(xmpMeta(xmp));
  const digest = hash("md5", extended, "hex").toUpperCase();
  const parts: Buffer[] = [segment(markers.app1, xmpMark, packetNaming(digest))];
  for (let at = 0; at < extended.length; at += longestPart) {
    const place = Buffer.alloc(8);
    place.writeUInt32BE(extended.length);
    place.writeUInt32BE(at, 4);
    const part = extended.subarray(at, at + longestPart);
    parts.push(segment(markers.app1, extendedMark, Buffer.from(digest), place, part));
  }
  return parts;
};

/** IPTC as one of Photoshop's image resources, 0x0404, without a name. */
const photoshopResource = (iptc: Uint8Array): Buffer => {
  const head = Buffer.from("8BIM\x04\x04\0\0\0\0\0\0", "latin1");
  head.writeUInt32BE(iptc.length, 8);
  return Buffer.concat([head, iptc, Buffer.alloc(iptc.length & 1)]);
};
