import { constants, gunzipSync } from "node:zlib";
import { begins, signatureBytes } from "./signatures.ts";

/** Whether a file starts as an SVG document, perhaps compressed by gzip. */
export const isSvg = (start: Buffer): boolean => {
  const text = textOf(start);
  return (
    /^\s*(?:<\?xml|<!--|<!DOCTYPE (?:\w+:)?svg|<(?:\w+:)?svg[\s>])/.test(text) &&
    /<(?:\w+:)?svg[\s>]/.test(text)
  );
};

/** Without a byte order mark; other encodings than UTF-8 are no SVG a browser is sent. */
const textOf = (start: Buffer): string =>
  (begins(start, 0x1f, 0x8b) ? unpacked(start) : start).toString("utf8").replace(/^\uFEFF/, "");

/** The beginning of what is packed by gzip, as an SVG may be; nothing where it is damaged. */
const unpacked = (start: Buffer): Buffer => {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxUnpacked };
    return gunzipSync(start, options).subarray(0, signatureBytes);
  } catch {
    // Whatever it is, it is no SVG.
    return Buffer.alloc(0);
  }
};

/** A byte in gzip comes to about a thousand at most. */
const maxUnpacked = signatureBytes * 1_100;
