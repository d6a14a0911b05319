import { constants, gunzipSync } from "node:zlib";
import { signatureBytes, startsWithBytes } from "./signatures.ts";

/** Whether a file starts as an SVG document, possibly compressed by gzip. */
export const isSvg = (start: Buffer): boolean => {
  const text = textOf(start);
  return (
    /^\s*(?:<\?xml|<!--|<!DOCTYPE (?:\w+:)?svg|<(?:\w+:)?svg[\s>])/.test(text) &&
    /<(?:\w+:)?svg[\s>]/.test(text)
  );
};

/** Without a byte order mark; only UTF-8 is accepted, as sent to browsers. */
const textOf = (start: Buffer): string =>
  (startsWithBytes(start, 0x1f, 0x8b) ? unpacked(start) : start)
    .toString("utf8")
    .replace(/^\uFEFF/, "");

/** The beginning of gzipped data, such as an SVG; empty where it is corrupt. */
const unpacked = (start: Buffer): Buffer => {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxUnpacked };
    return gunzipSync(start, options).subarray(0, signatureBytes);
  } catch {
    // Whatever it is, it is not an SVG.
    return Buffer.alloc(0);
  }
};

/** Maximum expansion of gzip is about a thousand. */
const maxUnpacked = signatureBytes * 1_100;
