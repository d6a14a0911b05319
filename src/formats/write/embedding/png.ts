import { crc32 } from "node:zlib";
import { fail } from "../../../core/errors.ts";
import type { Embed } from "./blocks.ts";
import { exifBlock } from "./exif.ts";
import { xmpPacket } from "./packet.ts";

/** The signature and the chunk IHDR. */
const headBytes = 33;

/** Language, translation and compression are absent. */
const xmpKeyword = Buffer.from("XML:com.adobe.xmp\0\0\0\0\0", "latin1");

/** Writes the chunks eXIf and iTXt after IHDR (PNG, third edition, 11.3; XMP Part 3, 1.1.5). */
export const embedInPng: Embed = (picture, { exif, xmp }) => {
  if (Buffer.from(picture.subarray(12, 16)).toString("latin1") !== "IHDR")
    fail("internal", "Expected a PNG to write metadata into.");
  const block = exif && exifBlock(exif);
  return Buffer.concat([
    picture.subarray(0, headBytes),
    ...(block ? [chunk("eXIf", block)] : []),
    ...(xmp === undefined ? [] : [chunk("iTXt", Buffer.concat([xmpKeyword, xmpPacket(xmp)]))]),
    picture.subarray(headBytes),
  ]);
};

const chunk = (type: string, content: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const file = Buffer.alloc(body.length + 8);
  file.writeUInt32BE(content.length);
  file.set(body, 4);
  file.writeUInt32BE(crc32(body), body.length + 4);
  return file;
};
