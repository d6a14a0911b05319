import sharp from "sharp";
import { expect, test } from "vitest";
import {
  gifWithAll,
  jpegOf,
  jpegWithAll,
  pngWithAll,
  segment,
  tiffWithAll,
} from "../../../test/metadata-files.ts";
import { memoryReader } from "../../../test/readers.ts";
import type { FormatName } from "../../core/formats.ts";
import { readMetadataHash } from "../embedded-metadata.ts";
import type { MetadataHash } from "./hashes.ts";

const read = (bytes: Uint8Array, format: FormatName): Promise<MetadataHash> =>
  readMetadataHash(memoryReader(bytes), { format }, new AbortController().signal);

const exif = {
  tagSet: "Baseline TIFF",
  fields: {
    Make: "Vitrine",
    Orientation: 6,
    XResolution: { numerator: 300, denominator: 1 },
    DateTime: "2026:01:02 03:04:05",
    EXIFIFD: {
      tagSet: "EXIF",
      fields: {
        ExposureTime: { numerator: 10, denominator: 2000 },
        ExifVersion: new Uint8Array(Buffer.from("0300")),
        DateTimeOriginal: "2026:01:01 00:00:00",
        ExposureBias: { numerator: -1, denominator: 3 },
        UserComment: new Uint8Array(Buffer.from("ASCII\0\0\0hello")),
        MakerNote: new Uint8Array(20).fill(7),
        InteroperabilityIFD: {
          tagSet: "Interoperability",
          fields: { InteroperabilityIndex: "R98" },
        },
      },
    },
    GPSIFD: {
      tagSet: "GPS",
      fields: { GPSLatitudeRef: "N", GPSLatitude: { numerator: 48, denominator: 1 } },
    },
  },
};

const iptc = [
  { CodedCharacterSet: "\x1b%G" },
  { ApplicationRecordVersion: 4 },
  { Headline: "Gemälde" },
  { Keywords: "eins" },
  { Keywords: "zwei" },
];

test("JPEG metadata has the shape that Cantaloupe's delegates expect", async () => {
  const found = await read(jpegWithAll(), "jpg");
  expect(found).toMatchObject({ exif, iptc });
  expect(found.exif).toEqual(exif);
  expect(found.xmp_string).toMatch(/^<rdf:RDF[\s\S]*<\/rdf:RDF>$/);
  expect(found.native).toBeUndefined();
});

test("the first directory of a TIFF becomes its Exif", async () => {
  for (const big of [false, true]) {
    const found = await read(tiffWithAll({ big }), "tif");
    expect(found.exif?.tagSet).toBe("Baseline TIFF");
    expect(Object.keys(found.exif?.fields ?? {})).toContain("ImageWidth");
    expect(found.iptc).toEqual(iptc);
  }
});

test("PNG texts and GIF timing are native metadata", async () => {
  expect((await read(pngWithAll(), "png")).native).toMatchObject({ Title: expect.any(String) });
  const frames = { raw: { width: 2, height: 4, channels: 3, pageHeight: 2 } } as const;
  const gif = await sharp(Buffer.from("a".repeat(12) + "z".repeat(12)), frames)
    .gif({ loop: 3, delay: [250, 250] })
    .toBuffer();
  // As stored: the number of repetitions.
  expect((await read(gif, "gif")).native).toEqual({ delayTime: 25, loopCount: 2 });
  expect((await read(gifWithAll(), "gif")).xmp_string).toMatch(/^<rdf:RDF/);
});

const packet = (rdf: string): Uint8Array =>
  jpegOf(segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${rdf}`));

test("XMP elements are flat, sorted and named by Cantaloupe's prefixes", async () => {
  const found = await read(
    packet(`<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:o="http://example.org/o#" xmlns:p="http://ns.adobe.com/photoshop/1.0/">
      <r:Description r:about="" p:City="Bern" o:mine="1">
        <d:title><r:Alt><r:li xml:lang="x-default">A</r:li><r:li xml:lang="de">B</r:li></r:Alt></d:title>
        <d:source r:resource="https://example.org/"/>
        <d:date>1</d:date><d:date>2</d:date>
        <o:outer r:parseType="Resource"><p:Credit>me</p:Credit></o:outer>
      </r:Description></r:RDF></x:xmpmeta>`),
    "jpg",
  );
  expect(found.xmp_string).toMatch(/^<r:RDF [\s\S]*<\/r:RDF>$/);
  expect(found.xmp_elements).toEqual({
    "dc:date": ["1", "2"],
    "dc:source": "https://example.org/",
    "dc:title": ["A", "B"],
    "http://example.org/o#mine": "1",
    "photoshop:City": "Bern",
    "photoshop:Credit": "me",
  });
  expect(Object.keys(found.xmp_elements)).toEqual(Object.keys(found.xmp_elements).sort());
});

test("damaged XMP or a file without metadata gives no elements", async () => {
  const broken = await read(packet("<rdf:RDF><a"), "jpg");
  expect(broken).toEqual({ xmp_elements: {} });
  expect(await read(jpegOf(), "jpg")).toEqual({ xmp_elements: {} });
});
