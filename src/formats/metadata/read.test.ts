import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  avifWithAll,
  chunk,
  gifWithAll,
  iccBlock,
  jp2WithAll,
  jpegOf,
  jpegWithAll,
  pngWithAll,
  segment,
  tiffOf,
  tiffWithAll,
  webpWithAll,
  xmpPacket,
  xmpProperties,
} from "../../../test/metadata-files.ts";
import { memoryReader } from "../../../test/readers.ts";
import type { FormatName } from "../../core/formats.ts";
import { readMetadata } from "../embedded-metadata.ts";
import type { Metadata } from "./values.ts";

const signal = new AbortController().signal;

const read = (bytes: Uint8Array, format: FormatName): Promise<Metadata> =>
  readMetadata(memoryReader(bytes), { format }, signal);

const exif = {
  image: {
    Make: "Vitrine",
    Orientation: 6,
    XResolution: [300, 1],
    DateTime: "2026:01:02 03:04:05",
  },
  photo: {
    ExposureTime: [10, 2000],
    ExifVersion: "0300",
    DateTimeOriginal: "2026:01:01 00:00:00",
    ExposureBiasValue: [-1, 3],
    UserComment: "hello",
    Tag51105: { base64: "AQIDBAU=" },
  },
  gps: {
    GPSLatitudeRef: "N",
    GPSLatitude: [
      [48, 1],
      [12, 1],
      [3050, 100],
    ],
  },
  interoperability: { InteroperabilityIndex: "R98", InteroperabilityVersion: "0100" },
  makerNoteBytes: 20,
};
const thumbnail = { Compression: 6 };
const iptc = {
  CodedCharacterSet: "UTF-8",
  RecordVersion: 4,
  Headline: "Gemälde",
  Keywords: ["eins", "zwei"],
};
const xmp = { packet: xmpPacket(), properties: xmpProperties };
const icc = {
  description: "Colours",
  colourSpace: "RGB",
  connectionSpace: "XYZ",
  deviceClass: "mntr",
  version: "4.3",
  bytes: iccBlock().length,
};
const problems: string[] = [];

test("reads all blocks of a JPEG and joins its profile parts in order", async () => {
  expect(await read(jpegWithAll(), "jpg")).toEqual({
    exif: { ...exif, thumbnail },
    iptc,
    xmp,
    icc,
    native: [
      { name: "JFIFVersion", value: "1.02" },
      { name: "JFIFDensityUnit", value: 1 },
      { name: "JFIFDensity", value: [72, 72] },
      { name: "Comment", value: "a comment" },
    ],
    problems,
  });
});

test("reads the chunks of a PNG, including compressed ones and ImageMagick's", async () => {
  expect(await read(pngWithAll(), "png")).toEqual({
    exif: { ...exif, thumbnail },
    iptc,
    xmp,
    icc,
    native: [
      { name: "Author", value: "Grün" },
      { name: "Comment", value: "packed" },
      { name: "Title", value: "Überschrift", language: "de" },
      { name: "tIME", value: "2026-01-02T03:04:05Z" },
      { name: "PixelsPerMetre", value: [11811, 11811] },
    ],
    problems,
  });
});

test.each([
  { littleEndian: false, big: false },
  { littleEndian: true, big: false },
  { littleEndian: false, big: true },
  { littleEndian: true, big: true },
])(
  "reads fields and blocks of a TIFF (little endian: $littleEndian, BigTIFF: $big)",
  async (form) => {
    const { native, ...blocks } = await read(tiffWithAll(form), "tif");
    expect(blocks).toEqual({ exif, iptc, xmp, icc, problems });
    expect(native).toEqual([
      { name: "ImageWidth", value: 640, directory: 0 },
      { name: "Make", value: "Vitrine", directory: 0 },
      { name: "Orientation", value: 6, directory: 0 },
      { name: "XResolution", value: [300, 1], directory: 0 },
      { name: "DateTime", value: "2026:01:02 03:04:05", directory: 0 },
      { name: "StripOffsets", count: 1, directory: 0 },
      { name: "ImageWidth", value: 320, directory: 1 },
      { name: "Compression", value: 6, directory: 1 },
    ]);
  },
);

test("reads comment, XMP and profile of a GIF", async () => {
  const native = [{ name: "Comment", value: "a comment" }];
  expect(await read(gifWithAll(), "gif")).toEqual({ xmp, icc, native, problems });
});

test("reads the blocks of a WebP, and the lengths of its other chunks", async () => {
  expect(await read(webpWithAll(), "webp")).toEqual({
    exif: { ...exif, thumbnail },
    xmp,
    icc,
    native: [
      { name: "VP8X", bytes: 10 },
      { name: "ANMF", bytes: 33, count: 2 },
    ],
    problems,
  });
});

test("reads the items and the profile of an AVIF", async () => {
  expect(await read(avifWithAll(), "avif")).toEqual({
    exif: { ...exif, thumbnail },
    xmp,
    icc,
    native: [{ name: "Brands", value: ["avif", "mif1", "miaf"] }],
    problems,
  });
});

test("reads the boxes of a JP2 and the comment of its codestream", async () => {
  expect(await read(jp2WithAll(), "jp2")).toEqual({
    exif: { ...exif, thumbnail },
    iptc,
    xmp,
    icc,
    native: [
      { name: "uuid b14bf8bd083d4b43a5ae8cd7d5a6ce03", bytes: 9 },
      { name: "xml", value: "<note>öffentlich</note>" },
      { name: "Comment", value: "made by a test" },
    ],
    problems,
  });
});

/** Extended XMP as Adobe writes it: its name, its whole length, and the offset of a piece. */
const extendedSegment = (name: string, whole: string, from: number, to: number): Buffer => {
  const place = Buffer.alloc(8);
  place.writeUInt32BE(whole.length, 0);
  place.writeUInt32BE(from, 4);
  const mark = `http://ns.adobe.com/xmp/extension/\0${name}`;
  return segment(0xe1, mark, place, Buffer.from(whole.slice(from, to)));
};

test("joins extended XMP of a JPEG and reports a gap in it", async () => {
  const name = "0123456789ABCDEF0123456789ABCDEF";
  const main = xmpPacket(
    `<n:HasExtendedXMP xmlns:n="http://ns.adobe.com/xmp/note/">${name}</n:HasExtendedXMP>`,
  );
  const rest = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:own="urn:own"><own:far>away</own:far></rdf:Description></rdf:RDF>`;
  const first = segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", Buffer.from(main));
  const whole = await read(
    jpegOf(
      extendedSegment(name, rest, 50, rest.length),
      first,
      extendedSegment("F".repeat(32), rest, 0, 10),
      extendedSegment(name, rest, 0, 50),
    ),
    "jpg",
  );
  expect(whole.problems).toEqual([]);
  expect(whole.xmp?.extended).toBe(rest);
  expect(whole.xmp?.properties).toEqual({
    ...xmpProperties,
    "xmpNote:HasExtendedXMP": name,
    "own:far": "away",
  });
  const torn = await read(jpegOf(first, extendedSegment(name, rest, 50, rest.length)), "jpg");
  expect(torn.xmp?.extended).toBeUndefined();
  expect(torn.problems).toEqual(["Parts of the extended XMP are missing."]);
});

test("reads only the necessary part of a large file", async () => {
  const bytes = Buffer.concat([jpegWithAll(), Buffer.alloc(4_000_000, 0x55)]);
  const reader = memoryReader(bytes);
  let sum = 0;
  await readMetadata(
    {
      ...reader,
      read: (offset, length) => {
        sum += length;
        return reader.read(offset, length);
      },
    },
    { format: "jpg" },
    signal,
  );
  expect(sum).toBeLessThan(200_000);
});

test("returns intact parts alongside reports of damaged ones", async () => {
  const {
    icc: profile,
    exif: fields,
    ...others
  } = await read(
    jpegOf(
      segment(0xe1, "Exif\0\0", "no TIFF"),
      segment(0xe2, "ICC_PROFILE\0\x02\x02", iccBlock()),
      segment(0xfe, "a comment"),
    ),
    "jpg",
  );
  expect({ profile, fields }).toEqual({ profile: undefined, fields: undefined });
  expect(others).toEqual({
    native: [{ name: "Comment", value: "a comment" }],
    problems: [
      "The parts of the ICC profile are not numbered consecutively.",
      "Expected TIFF or Exif data; it has a different signature.",
    ],
  });
});

test("limits many small bombs by their total size", async () => {
  const bomb = deflateSync(Buffer.alloc(1_000_000, 0x61));
  const texts = Array.from({ length: 200 }, () => chunk("zTXt", Buffer.from("a\0\0"), bomb));
  const png = Buffer.concat([pngWithAll().subarray(0, 8), ...texts, chunk("IEND")]);
  const { native, problems: told } = await read(png, "png");
  expect(native?.length).toBe(33);
  expect(told).toEqual(["Cannot inflate 'a' of the PNG: it is too long. It is skipped."]);
  const shared = Buffer.alloc(1_000_000, 0x61);
  const entries = Array.from(
    { length: 200 },
    (_, n) => [60_000 + n, 2, shared.length, shared] as const,
  );
  const tiff = tiffOf([{ entries }]);
  // All of them reference the first one's bytes.
  for (let n = 1; n < entries.length; n++) tiff.copyWithin(10 + n * 12 + 8, 18, 22);
  const { native: fields } = await read(tiff.subarray(0, 1_100_000), "tif");
  expect(fields?.length).toBe(8);
});

test("passes on read errors and aborts instead of reporting damage", async () => {
  const reader = {
    ...memoryReader(jpegWithAll()),
    read: async () => {
      throw new Error("the disk is gone");
    },
  };
  await expect(readMetadata(reader, { format: "jpg" }, signal)).rejects.toThrow("the disk is gone");
  const aborted = AbortSignal.abort(new Error("enough"));
  await expect(
    readMetadata(memoryReader(jpegWithAll()), { format: "jpg" }, aborted),
  ).rejects.toThrow("enough");
});
