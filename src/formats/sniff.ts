import { constants, gunzipSync } from "node:zlib";
import { withArticle } from "../core/article.ts";
import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { bareSyntax } from "./dicom/bare.ts";
import type { Sniff } from "./shared/codec.ts";
import { isXpm } from "./xpm/text.ts";

/** How many bytes at the start of a file tell its format. */
export const enough = 4_096;

/**
 * Tells a format by the content alone, whatever the file is called; undefined for what is none.
 * Throws `unreadable` for formats that are known but not read.
 */
export const sniff: Sniff = async (reader, signal) => {
  const bytes = await reader.read(0, Math.min(enough, reader.size), signal);
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stranger = strangerIn(start);
  if (stranger !== undefined)
    fail(
      "unreadable",
      `Expected a picture in a format that can be read; the file is ${withArticle(stranger)}, which this version cannot read.`,
    );
  return signatures.find(({ is }) => is(start))?.format;
};

/** Whether bytes begin as a format does, whatever else they may be too. */
export const beginsAs = (format: FormatName, bytes: Uint8Array): boolean => {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, enough));
  return signatures.some((signature) => signature.format === format && signature.is(start));
};

interface Signature {
  readonly format: FormatName;
  readonly is: (start: Buffer) => boolean;
}

const begins = (start: Buffer, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => start[index] === byte);

const says = (start: Buffer, at: number, text: string): boolean =>
  start.toString("latin1", at, at + text.length) === text;

/** With its preamble, without it beginning with the meta information (PS3.10, 7.1), or a data set and nothing else. */
const isDicom = (start: Buffer): boolean =>
  says(start, 128, "DICM") ||
  (begins(start, 2, 0) &&
    start[3] === 0 &&
    ["UL", "OB", "UI"].some((kind) => says(start, 4, kind))) ||
  bareSyntax(start) !== undefined;

const signatures: readonly Signature[] = [
  // It may begin with anything, the first bytes of a TIFF included.
  { format: "dicom", is: isDicom },
  { format: "jpg", is: (start) => begins(start, 0xff, 0xd8) },
  { format: "png", is: (start) => begins(start, 0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10) },
  {
    format: "tif",
    is: (start) =>
      begins(start, 0x49, 0x49, 42, 0) ||
      begins(start, 0x4d, 0x4d, 0, 42) ||
      begins(start, 0x49, 0x49, 43, 0) ||
      begins(start, 0x4d, 0x4d, 0, 43),
  },
  { format: "gif", is: (start) => says(start, 0, "GIF87a") || says(start, 0, "GIF89a") },
  { format: "webp", is: (start) => says(start, 0, "RIFF") && says(start, 8, "WEBP") },
  {
    format: "avif",
    is: (start) =>
      brandsOf(start).some((brand) => brand === "avif" || brand === "avis") || isGenericAvif(start),
  },
  { format: "heic", is: (start) => brandsOf(start).some((brand) => heifBrand.test(brand)) },
  {
    format: "jxl",
    is: (start) => says(start, 4, "JXL ") || begins(start, 0xff, 0x0a),
  },
  {
    format: "jp2",
    is: (start) => says(start, 4, "jP  ") || begins(start, 0xff, 0x4f, 0xff, 0x51),
  },
  // Whatever comes before the header is passed over (ISO 32000-1, annex H, note 13).
  { format: "pdf", is: (start) => start.subarray(0, 1_024).includes("%PDF-") },
  { format: "bmp", is: (start) => says(start, 0, "BM") && start.length > 26 },
  { format: "xpm", is: isXpm },
  { format: "avi", is: (start) => says(start, 0, "RIFF") && says(start, 8, "AVI ") },
  { format: "flv", is: (start) => says(start, 0, "FLV\u0001") },
  {
    format: "mov",
    is: (start) => brandsOf(start)[0] === "qt  " || movAtoms.some((atom) => says(start, 4, atom)),
  },
  // After the pictures whose files have brands as well.
  { format: "mp4", is: (start) => brandsOf(start).length > 0 },
  {
    format: "mpg",
    is: (start) => begins(start, 0, 0, 1, 0xba) || begins(start, 0, 0, 1, 0xb3),
  },
  // Matroska, of which WebM is a part (RFC 9559).
  { format: "webm", is: (start) => begins(start, 0x1a, 0x45, 0xdf, 0xa3) },
  {
    format: "svg",
    is: (start) =>
      /^\s*(?:<\?xml|<!--|<!DOCTYPE (?:\w+:)?svg|<(?:\w+:)?svg[\s>])/.test(textOf(start)) &&
      /<(?:\w+:)?svg[\s>]/.test(textOf(start)),
  },
];

/** Without a byte order mark; other encodings than UTF-8 are no SVG a browser is sent. */
const textOf = (start: Buffer): string =>
  (begins(start, 0x1f, 0x8b) ? unpacked(start) : start).toString("utf8").replace(/^\uFEFF/, "");

/** The beginning of what is packed by gzip, as an SVG may be; nothing where it is damaged. */
const unpacked = (start: Buffer): Buffer => {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: mostUnpacked };
    return gunzipSync(start, options).subarray(0, enough);
  } catch {
    // Whatever it is, it is no SVG.
    return Buffer.alloc(0);
  }
};

/** A byte in gzip comes to about a thousand at most. */
const mostUnpacked = enough * 1_100;

/** The major brand of an ISO base media file and those it is compatible with; none otherwise. */
const brandsOf = (start: Buffer): string[] => {
  if (start.length < 16 || !says(start, 4, "ftyp")) return [];
  const end = Math.min(start.readUInt32BE(0), start.length, 256);
  const brands = [start.toString("latin1", 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(start.toString("latin1", at, at + 4));
  return brands;
};

/** What a QuickTime file may begin with that is older than brands. */
const movAtoms = ["moov", "mdat", "wide", "free", "skip", "pnot"];

/** Brands of HEIF files that leave open what their pictures are coded in, which only the types of items and samples tell. */
const isGenericAvif = (start: Buffer): boolean => {
  const brands = brandsOf(start);
  return (
    brands.some((brand) => genericBrand.test(brand)) &&
    !brands.some((brand) => hevcBrand.test(brand)) &&
    start.includes("av01", 0, "latin1") &&
    !start.includes("hvc1", 0, "latin1")
  );
};

const genericBrand = /^(mif[12]|msf1)$/;
const hevcBrand = /^(hei[cxms]|hev[cxms])$/;
const heifBrand = /^(hei[cxms]|hev[cxms]|mif[12]|msf1)$/;

/** In order: DICOM may begin with anything, a TIFF's first bytes included. */
const strangers: readonly (readonly [string, (start: Buffer) => boolean])[] = [
  ["Photoshop picture", (start) => says(start, 0, "8BPS")],
  ["Canon raw picture", (start) => brandsOf(start)[0] === "crx "],
];

const strangerIn = (start: Buffer): string | undefined =>
  strangers.find(([, is]) => is(start))?.[0];
