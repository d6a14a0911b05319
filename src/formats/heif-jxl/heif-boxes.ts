import { fail } from "../../core/errors.ts";

const shortHeader = 8;
const longHeader = 16;

/**
 * Throws for a truncated HEIF file, whose outermost boxes (ISO/IEC 14496-12, 4.2) extend beyond its
 * end. Otherwise some of its pages, or info.json alone, might work.
 */
export const checkWhole = (bytes: Uint8Array): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + shortHeader <= bytes.length; ) {
    const stated = view.getUint32(at);
    // To the end of the file, wherever that is.
    if (stated === 0) return;
    const isLong = stated === 1;
    if (isLong && at + longHeader > bytes.length) cutShort(at + longHeader - bytes.length);
    const length = isLong ? Number(view.getBigUint64(at + shortHeader)) : stated;
    // Data that is not a box is not judged here.
    if (length < (isLong ? longHeader : shortHeader)) return;
    at += length;
    if (at > bytes.length) cutShort(at - bytes.length);
  }
};

const cutShort = (missing: number): never =>
  fail("unreadable", `Truncated HEIC file: the last ${missing} bytes are missing.`);
