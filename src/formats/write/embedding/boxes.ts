import { boxOf, isoBoxesIn } from "../../containers/index.ts";
import type { Embed, EmbeddedBlocks } from "./blocks.ts";
import { exifBlock } from "./exif.ts";
import { xmpMeta, xmpPacket } from "./packet.ts";

/**
 * Writes uuid boxes before the codestream of a JP2 (XMP Part 3, 1.1.4; for Exif and IPTC as other
 * programs do).
 */
export const embedInJp2: Embed = (picture, { exif, xmp, iptc }) => {
  const file = bufferOf(picture);
  const { at, bytes } = lastOf(isoBoxesIn(file, 0, "jp2h"));
  const block = exif && exifBlock(exif);
  return Buffer.concat([
    file.subarray(0, at + bytes.length),
    ...(block ? [uuidBox(uuids.exif, block)] : []),
    ...(iptc ? [uuidBox(uuids.iptc, iptc)] : []),
    ...(xmp === undefined ? [] : [uuidBox(uuids.xmp, xmpPacket(xmp))]),
    file.subarray(at + bytes.length),
  ]);
};

const uuids = {
  xmp: "be7acfcb97a942e89c71999491e3afac",
  // The letters JpgTiffExif->JP2.
  exif: "4a706754696666457869662d3e4a5032",
  iptc: "33c7a4d2b81d4723a0baf1a3e097ad38",
} as const;

const uuidBox = (id: string, content: Uint8Array): Buffer =>
  boxOf("uuid", [Buffer.from(id, "hex"), content]);

/**
 * Writes boxes before the codestream of a JPEG XL; a bare codestream is put into a container
 * (ISO/IEC 18181-2, 9).
 */
export const embedInJxl: Embed = (picture, blocks) => {
  const file = bufferOf(picture);
  if (file.readUInt16BE(0) === bareStart)
    return Buffer.concat([
      boxOf("JXL ", [Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)]),
      boxOf("ftyp", [Buffer.from("jxl \0\0\0\0jxl ", "latin1")]),
      ...jxlBoxes(blocks),
      boxOf("jxlc", [file]),
    ]);
  const { at, bytes } = lastOf(isoBoxesIn(file, 0, "ftyp"));
  const start = at + bytes.length;
  // The level's box has to follow immediately.
  const hasLevel = file.toString("latin1", start + 4, start + 8) === "jxll";
  const end = hasLevel ? start + file.readUInt32BE(start) : start;
  return Buffer.concat([file.subarray(0, end), ...jxlBoxes(blocks), file.subarray(end)]);
};

const bareStart = 0xff0a;

const jxlBoxes = ({ exif, xmp }: EmbeddedBlocks): readonly Buffer[] => {
  const block = exif && exifBlock(exif);
  return [
    // A block is preceded by the distance to its content.
    ...(block ? [boxOf("Exif", [Buffer.alloc(4), block])] : []),
    ...(xmp === undefined ? [] : [boxOf("xml ", [Buffer.from(xmpMeta(xmp))])]),
  ];
};

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const lastOf = (boxes: ReturnType<typeof isoBoxesIn>) =>
  boxes.at(-1) ?? { at: 0, bytes: Buffer.alloc(0) };
