import type { RangeReader } from "../../core/range-reader.ts";
import { ByteWindow } from "./byte-window.ts";

/**
 * Maximum bytes of a PNG's compressed texts; longer ones are removed, since they may inflate to a
 * thousand times as many.
 */
const maxBytes = 1_048_576;
/** Maximum number of chunks before the image. */
const maxChunks = 16_384;
const signatureBytes = 8;
/** Length, type and checksum. */
const around = 12;
/** The keyword of a text, a zero and two more bytes (PNG, third edition, 11.3.3). */
const longestStart = 82;

/** Whether the compressed texts before a PNG's image are too long for libpng to read. */
export const areTextsLong = async (reader: RangeReader, signal: AbortSignal): Promise<boolean> => {
  const window = new ByteWindow(reader, reader.size, signal);
  let bytes = 0;
  for (let at = signatureBytes, chunk = 0; chunk < maxChunks && bytes <= maxBytes; chunk++) {
    const head = Buffer.from(await window.at(at, 8 + longestStart));
    if (head.length < 8) return false;
    const length = head.readUInt32BE();
    const type = head.toString("latin1", 4, 8);
    if (type === "IDAT" || type === "IEND") return false;
    if (isCompressedText(type, head.subarray(8))) bytes += length;
    at += around + length;
  }
  return bytes > maxBytes;
};

/** A PNG without its compressed texts. */
export const withoutTexts = (bytes: Uint8Array): Uint8Array => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Buffer[] = [file.subarray(0, signatureBytes)];
  for (let at = signatureBytes; at + around <= file.length; ) {
    const end = at + around + file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    if (!isCompressedText(type, file.subarray(at + 8))) parts.push(file.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
};

const isCompressedText = (type: string, data: Buffer): boolean => {
  if (type !== "iTXt") return type === "zTXt";
  const keyword = data.subarray(0, longestStart).indexOf(0);
  return keyword >= 0 && data[keyword + 1] === 1;
};
