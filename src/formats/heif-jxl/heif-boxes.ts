import { fail } from "../../core/errors.ts";

const shortHeader = 8;
const longHeader = 16;

/**
 * Refuses a HEIF file that was cut short: one whose outermost boxes (ISO/IEC 14496-12, 4.2) go on
 * behind its end. What of it is there might show some pages, or info.json alone.
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
    // What is no box is not for us to judge.
    if (length < (isLong ? longHeader : shortHeader)) return;
    at += length;
    if (at > bytes.length) cutShort(at - bytes.length);
  }
};

const cutShort = (missing: number): never =>
  fail(
    "unreadable",
    `Expected the whole of a HEIC file; it ends ${missing} bytes before its last box does.`,
  );
