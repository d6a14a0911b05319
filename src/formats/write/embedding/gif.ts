import { fail } from "../../../core/errors.ts";
import type { Embed } from "./blocks.ts";
import { xmpPacket } from "./packet.ts";

/** An application extension, by its name. */
const extension = Buffer.from("\x21\xff\x0bXMP DataXMP", "latin1");
const trailer = 0x3b;

/**
 * Writes XMP as the last extension of a GIF (XMP Part 3, 1.1.2): the packet unencoded, whose bytes
 * readers interpret as block lengths, and 258 bytes after it that lead any of them to the end.
 */
export const embedInGif: Embed = (picture, { xmp }) => {
  if (picture.at(-1) !== trailer) fail("internal", "Expected a GIF to write metadata into.");
  if (xmp === undefined) return picture;
  const file = Buffer.concat([
    picture.subarray(0, -1),
    extension,
    xmpPacket(xmp),
    magicTrailer(),
    Uint8Array.of(trailer),
  ]);
  // Extensions came with this version.
  file.write("GIF89a", "latin1");
  return file;
};

const magicTrailer = (): Buffer => {
  const bytes = Buffer.alloc(258);
  bytes[0] = 1;
  for (let n = 0; n < 256; n++) bytes[n + 1] = 255 - n;
  return bytes;
};
