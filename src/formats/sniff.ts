import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { Sniff } from "./codec.ts";

const enough = 4_096;

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
      `Expected a picture in a format that can be read; the file is a ${stranger}, which this version cannot read.`,
    );
  return signatures.find(({ is }) => is(start))?.format;
};

interface Signature {
  readonly format: FormatName;
  readonly is: (start: Buffer) => boolean;
}

const begins = (start: Buffer, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => start[index] === byte);

const says = (start: Buffer, at: number, text: string): boolean =>
  start.toString("latin1", at, at + text.length) === text;

const signatures: readonly Signature[] = [
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
    is: (start) => brandsOf(start).some((brand) => brand === "avif" || brand === "avis"),
  },
  {
    format: "jp2",
    is: (start) => says(start, 4, "jP  ") || begins(start, 0xff, 0x4f, 0xff, 0x51),
  },
  // Whatever comes before the header is passed over (ISO 32000-1, annex H, note 13).
  { format: "pdf", is: (start) => start.subarray(0, 1_024).includes("%PDF-") },
  {
    format: "svg",
    is: (start) =>
      /^\s*(?:<\?xml|<!--|<!DOCTYPE svg|<svg[\s>])/.test(textOf(start)) &&
      /<(?:\w+:)?svg[\s>]/.test(textOf(start)),
  },
];

/** Without a byte order mark; other encodings than UTF-8 are no SVG a browser is sent. */
const textOf = (start: Buffer): string => start.toString("utf8").replace(/^\uFEFF/, "");

/** The major brand of an ISO base media file and those it is compatible with; none otherwise. */
const brandsOf = (start: Buffer): string[] => {
  if (start.length < 16 || !says(start, 4, "ftyp")) return [];
  const end = Math.min(start.readUInt32BE(0), start.length, 256);
  const brands = [start.toString("latin1", 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(start.toString("latin1", at, at + 4));
  return brands;
};

const heifBrand = /^(hei[cxms]|hev[cxms]|mif[12]|msf1)$/;

const isVideo = (start: Buffer): boolean =>
  (says(start, 0, "RIFF") && says(start, 8, "AVI ")) ||
  begins(start, 0x1a, 0x45, 0xdf, 0xa3) ||
  says(start, 0, "FLV") ||
  begins(start, 0, 0, 1, 0xba) ||
  begins(start, 0, 0, 1, 0xb3) ||
  says(start, 4, "moov") ||
  says(start, 4, "mdat");

/** In order: DICOM may begin with anything, a TIFF's first bytes included. */
const strangers: readonly (readonly [string, (start: Buffer) => boolean])[] = [
  ["DICOM file", (start) => says(start, 128, "DICM")],
  ["JPEG XL picture", (start) => says(start, 4, "JXL ") || begins(start, 0xff, 0x0a)],
  ["BMP picture", (start) => says(start, 0, "BM") && start.length > 26],
  ["XPM picture", (start) => says(start, 0, "/* XPM */")],
  ["Photoshop picture", (start) => says(start, 0, "8BPS")],
  ["video", isVideo],
];

const strangerIn = (start: Buffer): string | undefined => {
  const found = strangers.find(([, is]) => is(start))?.[0];
  if (found !== undefined) return found;
  const brands = brandsOf(start);
  if (brands.length === 0 || brands.some((brand) => brand === "avif" || brand === "avis"))
    return undefined;
  return brands.some((brand) => heifBrand.test(brand)) ? "HEIF picture" : "video";
};
