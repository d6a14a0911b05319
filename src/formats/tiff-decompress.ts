import { promisify } from "node:util";
import { inflate } from "node:zlib";
import { fail, ServerError } from "../core/errors.ts";
import { unlzw } from "./tiff-lzw.ts";
import { compressions } from "./tiff-tags.ts";
import { zstdDecoder } from "./zstd.ts";

/** Undoes a lossless compression into exactly `length` bytes; throws `unreadable` on damage. */
export const decompressTile = async (
  compression: number,
  bytes: Uint8Array,
  length: number,
): Promise<Uint8Array> => {
  try {
    const unpacked = await undo(compression, bytes, length);
    if (unpacked.length >= length) return unpacked.subarray(0, length);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    fail("unreadable", "Expected whole tiles or strips in the TIFF; one is damaged.", error);
  }
  return fail(
    "unreadable",
    `Expected ${length} bytes in a tile or strip of the TIFF; it has fewer.`,
  );
};

/** Whether `decompressTile` can undo a compression. */
export const isLossless = (compression: number): boolean => lossless.has(compression);

const lossless: ReadonlySet<number> = new Set([
  compressions.none,
  compressions.lzw,
  compressions.deflate,
  compressions.oldDeflate,
  compressions.packBits,
  compressions.zstd,
]);

/** What encoders may leave behind the last byte that counts. */
const slack = 65_536;

const unzip = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

const undo = async (
  compression: number,
  bytes: Uint8Array,
  length: number,
): Promise<Uint8Array> => {
  switch (compression) {
    case compressions.none:
      return bytes;
    case compressions.lzw:
      return unlzw(bytes, length);
    case compressions.deflate:
    case compressions.oldDeflate:
      return unzip(bytes, { maxOutputLength: length + slack });
    case compressions.packBits:
      return unpackBits(bytes, length);
    case compressions.zstd:
      return (await zstdDecoder())(bytes, length);
    default:
      return fail("unreadable", "Expected a TIFF whose compression can be undone.");
  }
};

/** TIFF 6.0 section 9: a byte n says that n + 1 bytes follow, or that the next one is repeated. */
const unpackBits = (bytes: Uint8Array, length: number): Uint8Array => {
  const out = new Uint8Array(length);
  let to = 0;
  for (let from = 0; from < bytes.length && to < length; ) {
    const control = bytes[from++] ?? 0;
    if (control < 128) {
      const literal = bytes.subarray(from, from + Math.min(control + 1, length - to));
      out.set(literal, to);
      to += literal.length;
      from += control + 1;
    } else if (control > 128) {
      const run = Math.min(257 - control, length - to);
      out.fill(bytes[from++] ?? 0, to, to + run);
      to += run;
    }
  }
  return out.subarray(0, to);
};
