import { fail } from "../../core/errors.ts";
import type { Size } from "../../core/geometry.ts";

/** How the pixels of a BMP file are stored. */
export type BmpCoding = "plain" | "rle4" | "rle8" | "rle24";

/** The bits of one channel in a pixel. */
export interface Mask {
  readonly shift: number;
  /** 0 where there is no such channel. */
  readonly bits: number;
}

/** The headers of a BMP file, validated. */
export interface BmpHeader {
  readonly size: Size;
  /** Whether the first stored row is the top one. */
  readonly topDown: boolean;
  /** Bits per pixel: 1, 2, 4, 8, 16, 24 or 32. */
  readonly bits: number;
  readonly coding: BmpCoding;
  /** Offset of the pixels in the file. */
  readonly offset: number;
  /** Red, green, blue and opacity, of pixels of 16 and 32 bits. */
  readonly masks: readonly [Mask, Mask, Mask, Mask];
  /** The palette's colours, 3 or 4 bytes each. */
  readonly palette: { readonly offset: number; readonly count: number; readonly entry: 3 | 4 };
  /** The ICC profile, if there is one. */
  readonly profile: { readonly offset: number; readonly length: number } | undefined;
}

/** Maximum length of the headers: that of the file, version 5, and masks behind it. */
export const headerBytes = 14 + 124 + 16;

const fileHeader = 14;

/** The sizes of headers; fields that a shorter one of OS/2 omits are 0. */
const sizes = {
  core: 12,
  info: 40,
  masks: 52,
  alphaMask: 56,
  os2: 64,
  version4: 108,
  version5: 124,
};

/** Maximum side: larger ones overflow the format's own length field. */
const longestSide = 2 ** 31 - 1;

/**
 * Parses the headers in the first bytes of a file: those of OS/2 1 and 2 and of Windows, versions 1
 * to 5 (BITMAPCOREHEADER to BITMAPV5HEADER). Throws `unreadable` where they are corrupt or
 * unsupported.
 */
export const readHeader = (bytes: Buffer): BmpHeader => {
  const fields = fieldsIn(bytes);
  const { length, isCore, bits, compression, size, topDown } = fields;
  const { coding, masked } = codingOf(compression, { bits, isOs2: isOs2Header(length) });
  if (topDown && coding !== "plain")
    fail("unreadable", "A run-length coded BMP must be stored bottom-up; this one is top-down.");
  const outside = masked && length === sizes.info ? (compression === alphaFields ? 16 : 12) : 0;
  return {
    size,
    topDown,
    bits,
    coding,
    offset: bytes.readUInt32LE(10),
    masks: masked ? masksIn(bytes, { length, compression, bits }) : usualMasks(bits),
    palette: {
      offset: fileHeader + length + outside,
      count: paletteCount(bits, fields.colours),
      entry: isCore ? 3 : 4,
    },
    profile: fields.profile,
  };
};

/** The fields of the header by themselves. */
interface BmpFields {
  /** Length of the header in bytes. */
  readonly length: number;
  readonly isCore: boolean;
  readonly size: Size;
  readonly topDown: boolean;
  readonly bits: number;
  readonly compression: number;
  readonly colours: number;
  readonly profile: BmpHeader["profile"];
}

const fieldsIn = (bytes: Buffer): BmpFields => {
  if (bytes.length < fileHeader + sizes.core || bytes.toString("latin1", 0, 2) !== "BM")
    fail("unreadable", "Truncated BMP header.");
  const length = bytes.readUInt32LE(fileHeader);
  if (!isKnown(length) || bytes.length < fileHeader + length)
    fail("unreadable", `Expected a BMP header of a known size, not of ${length} bytes.`);
  // A copy, so that fields missing in an older header are 0.
  const fields = Buffer.alloc(sizes.version5);
  bytes.copy(fields, 0, fileHeader, fileHeader + length);
  const isCore = length === sizes.core;
  const width = isCore ? fields.readUInt16LE(4) : fields.readInt32LE(4);
  const height = isCore ? fields.readUInt16LE(6) : fields.readInt32LE(8);
  if (width < 1 || height === 0 || Math.abs(height) > longestSide)
    fail("unreadable", `Expected a BMP with a positive size, not ${width} x ${height}.`);
  return {
    length,
    isCore,
    size: { width, height: Math.abs(height) },
    topDown: height < 0,
    bits: fields.readUInt16LE(isCore ? 10 : 14),
    compression: isCore ? 0 : fields.readUInt32LE(16),
    colours: isCore ? 0 : fields.readUInt32LE(32),
    profile: length === sizes.version5 ? profileIn(fields) : undefined,
  };
};

const isOs2Header = (length: number): boolean =>
  length === sizes.os2 || (length >= 16 && length < sizes.info);

const isKnown = (length: number): boolean =>
  isOs2Header(length) || (Object.values(sizes) as number[]).includes(length);

const alphaFields = 6;

/** BI_BITFIELDS and Huffman 1D of OS/2 share a number, and so do JPEG and RLE24. */
const codingOf = (
  compression: number,
  { bits, isOs2 }: { readonly bits: number; readonly isOs2: boolean },
): { readonly coding: BmpCoding; readonly masked: boolean } => {
  const plain = { coding: "plain", masked: false } as const;
  if (compression === 0 && depths.has(bits)) return plain;
  if (compression === 1 && bits === 8) return { coding: "rle8", masked: false };
  if (compression === 2 && bits === 4) return { coding: "rle4", masked: false };
  if (compression === 4 && bits === 24 && isOs2) return { coding: "rle24", masked: false };
  const isMasked = (compression === 3 || compression === alphaFields) && !isOs2;
  if (isMasked && (bits === 16 || bits === 32)) return { coding: "plain", masked: true };
  return fail(
    "unreadable",
    `Expected a BMP of 1, 2, 4, 8, 16, 24 or 32 bits, plain, with bit fields or run-length coded; this one has ${bits} bits and compression ${compression}.`,
  );
};

const depths: ReadonlySet<number> = new Set([1, 2, 4, 8, 16, 24, 32]);

const none: Mask = { shift: 0, bits: 0 };

const usualMasks = (bits: number): BmpHeader["masks"] =>
  bits === 16
    ? [{ shift: 10, bits: 5 }, { shift: 5, bits: 5 }, { shift: 0, bits: 5 }, none]
    : [{ shift: 16, bits: 8 }, { shift: 8, bits: 8 }, { shift: 0, bits: 8 }, none];

/** Masks are at the same offset, whether within the header or behind it. */
const masksIn = (
  bytes: Buffer,
  {
    length,
    compression,
    bits,
  }: { readonly length: number; readonly compression: number; readonly bits: number },
): BmpHeader["masks"] => {
  const at = fileHeader + sizes.info;
  const hasAlpha = length >= sizes.alphaMask || compression === alphaFields;
  if (bytes.length < at + (hasAlpha ? 16 : 12))
    fail("unreadable", "Truncated BMP: its bit fields are missing.");
  const mask = (index: number): Mask => maskOf(bytes.readUInt32LE(at + index * 4), bits);
  return [mask(0), mask(1), mask(2), hasAlpha ? mask(3) : none];
};

const maskOf = (mask: number, bits: number): Mask => {
  if (mask === 0) return none;
  const shift = 31 - Math.clz32(mask & -mask);
  const top = mask >>> shift;
  const count = 32 - Math.clz32(top);
  if ((top & (top + 1)) !== 0 || shift + count > bits)
    fail("unreadable", `Expected contiguous BMP bit fields within ${bits} bits.`);
  return { shift, bits: count };
};

/** Maximum number of colours: some files have more than their pixels can reference. */
const maxColours = 1_024;

const paletteCount = (bits: number, said: number): number => {
  if (bits > 8) return 0;
  const count = said === 0 ? 2 ** bits : said;
  if (count > maxColours)
    fail("unreadable", `Expected a BMP palette of at most ${2 ** bits} colours, not ${count}.`);
  return Math.min(count, 2 ** bits);
};

/** PROFILE_EMBEDDED of bV5CSType. */
const embedded = 0x4d424544;
const largestProfile = 16_777_216;

/** The profile's offset is counted from the beginning of the header. */
const profileIn = (fields: Buffer): BmpHeader["profile"] => {
  if (fields.readUInt32LE(56) !== embedded) return undefined;
  const length = fields.readUInt32LE(116);
  if (length === 0 || length > largestProfile) return undefined;
  return { offset: fileHeader + fields.readUInt32LE(112), length };
};
