import sharp from "sharp";
import { describe, expect, it, test } from "vitest";
import { amount } from "../../../../test/amount.ts";
import {
  asciiEntry,
  avifWithAll,
  dataset,
  gifWithAll,
  iptcBlock,
  jp2WithAll,
  jpegOf,
  jpegWithAll,
  photoshopBlock,
  pngWithAll,
  segment,
  tiffOf,
  tiffWithAll,
  webpWithAll,
  xmpPacket,
  xmpProperties,
} from "../../../../test/metadata-files.ts";
import { random } from "../../../../test/random.ts";
import { memoryReader } from "../../../../test/readers.ts";
import type { FormatName } from "../../../core/formats.ts";
import { readMetadata } from "../../embedded-metadata.ts";
import { embed } from "./embed.ts";
import { exifBlock } from "./exif.ts";
import { preservedBlocks } from "./preserved.ts";

const { signal } = new AbortController();

const of = (file: Uint8Array, format: FormatName = "jpg") =>
  preservedBlocks(memoryReader(file), { format }, signal);

/** An image's metadata once that of a file is written into it. */
const writtenFrom = async (file: Uint8Array, format: FormatName = "jpg") => {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: "#48a" } });
  const picture = embed(await image.jpeg().toBuffer(), "jpg", await of(file, format));
  const found = await readMetadata(memoryReader(picture), { format: "jpg" }, signal);
  expect(found.problems).toEqual([]);
  return { ...found, picture: Buffer.from(picture) };
};

const xmpMark = "http://ns.adobe.com/xap/1.0/\0";
const withXmp = (packet: string): Buffer => jpegOf(segment(0xe1, xmpMark, Buffer.from(packet)));

describe("preserved metadata", () => {
  test.each([
    ["jpg", jpegWithAll()],
    ["png", pngWithAll()],
    ["tif", tiffWithAll()],
    ["tif", tiffWithAll({ big: true, littleEndian: true })],
    ["webp", webpWithAll()],
    ["avif", avifWithAll()],
    ["jp2", jp2WithAll()],
    ["gif", gifWithAll()],
  ] as const)("is read from a %s", async (format, file) => {
    const { exif, iptc, xmp, icc } = await writtenFrom(file, format);
    expect(xmp?.properties).toEqual(xmpProperties);
    expect(icc).toBeUndefined();
    if (format === "gif") return;
    expect(exif).toMatchObject({
      image: { Make: "Vitrine", DateTime: "2026:01:02 03:04:05" },
      gps: {
        GPSLatitudeRef: "N",
        GPSLatitude: [
          [48, 1],
          [12, 1],
          [3050, 100],
        ],
      },
    });
    expect(exif?.photo).toMatchObject({
      ExposureTime: [10, 2000],
      DateTimeOriginal: "2026:01:01 00:00:00",
      UserComment: "hello",
    });
    // Of the file's own pixels, maker notes, previews, and unknown names.
    expect(exif?.image?.["Orientation"]).toBeUndefined();
    expect(exif?.image?.["XResolution"]).toBeUndefined();
    expect(exif?.makerNoteBytes).toBeUndefined();
    expect(exif?.thumbnail).toBeUndefined();
    expect(exif?.interoperability).toBeUndefined();
    expect(Object.keys(exif?.photo ?? {}).filter((name) => name.startsWith("Tag"))).toEqual([]);
    if (["jpg", "png", "tif", "jp2"].includes(format))
      expect(iptc).toMatchObject({ Headline: "Gemälde", Keywords: ["eins", "zwei"] });
  });

  it("excludes XMP previews under any name, and properties of the file's pixels", async () => {
    const bytes = Buffer.alloc(3_000, 0xa7).toString("base64");
    const own = `xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
      xmlns:g="http://ns.adobe.com/xap/1.0/g/img/" xmlns:note="http://ns.adobe.com/xmp/note/"
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:ps="http://ns.adobe.com/photoshop/1.0/"
      dc:format="image/tiff" ps:ICCProfile="Dots" exif:ColorSpace="65535"
      xmlns:gi="http://ns.google.com/photos/1.0/image/" xmlns:xm="http://ns.adobe.com/xap/1.0/"`;
    const { xmp, picture } = await writtenFrom(
      withXmp(
        xmpPacket(`<own:s rdf:parseType="Resource" ${own} tiff:Orientation="6" note:HasExtendedXMP="A" gi:Data="${bytes}">
        <own:kept>1</own:kept><own:thumb>${bytes}</own:thumb><own:lines>${bytes.replace(/.{76}/g, "$&&#xA;")}</own:lines>
        <tiff:Orientation>6</tiff:Orientation><exif:PixelXDimension>9</exif:PixelXDimension>
        <xm:Thumbnails><rdf:Alt><rdf:li g:width="9" g:image="${bytes}"/></rdf:Alt></xm:Thumbnails>
        <own:list><rdf:Bag><rdf:li>${bytes}</rdf:li><rdf:li>b</rdf:li></rdf:Bag></own:list>
        </own:s>`),
      ),
    );
    expect(xmp?.properties).toEqual({
      ...xmpProperties,
      "own:s": { "own:kept": "1", "own:list": ["b"] },
    });
    expect(picture.includes(bytes.slice(0, 40))).toBe(false);
  });

  it("keeps long texts", async () => {
    const text = "A long tale of maps and of those who drew them. ".repeat(100);
    const { xmp } = await writtenFrom(withXmp(xmpPacket(`<own:text>${text}</own:text>`)));
    expect(xmp?.properties["own:text"]).toBe(text);
  });

  it("keeps namespaces apart regardless of prefixes", async () => {
    const more = `<p:x xmlns:p="urn:p"/><p:x xmlns:p="urn:q" xmlns:xmlish="urn:r" xmlish:y="&quot;&lt;&#9;"/><x xmlns="urn:s">1</x>`;
    const { xmp } = await writtenFrom(withXmp(xmpPacket(more)));
    expect(xmp?.packet).toContain('xmlns:p="urn:p"');
    expect(xmp?.packet).toMatch(/xmlns:ns\d+_="urn:q"/);
    expect(xmp?.packet).toMatch(/xmlns:ns\d+_="urn:s"/);
    expect(xmp?.packet).toContain('="&quot;&lt;&#9;"');
  });

  it("excludes IPTC previews and raw data", async () => {
    const iptc = Buffer.concat([
      iptcBlock(),
      dataset(2, 202, "preview of the whole"),
      dataset(8, 10, "preview of the whole"),
      dataset(3, 90, "x"),
      dataset(2, 120, "caption"),
    ]);
    const resources = photoshopBlock(iptc);
    const thumbnail = Buffer.from("8BIM\x04\x0c\0\0\0\0\0\x14preview of the whole", "latin1");
    const file = jpegOf(segment(0xed, "Photoshop 3.0\0", thumbnail, resources));
    const { iptc: found, picture } = await writtenFrom(file);
    expect(found).toMatchObject({ Headline: "Gemälde", "Caption-Abstract": "caption" });
    expect(picture.includes("preview")).toBe(false);
  });

  it("drops what does not fit into JPEG segments", async () => {
    const long = "x".repeat(59_000);
    const block = tiffOf([
      { entries: [asciiEntry(270, long), asciiEntry(315, long), asciiEntry(305, "s")] },
    ]);
    const tiff = await writtenFrom(block, "tif");
    expect(Object.keys(tiff.exif?.image ?? {})).toEqual(["ImageDescription", "Software"]);
    const iptc = Buffer.concat(Array.from({ length: 5 }, () => dataset(2, 25, "y".repeat(30_000))));
    const file = jpegOf(
      ...[iptc.subarray(0, 60_000), iptc.subarray(60_000, 120_000), iptc.subarray(120_000)].map(
        (part, index) =>
          segment(
            0xed,
            "Photoshop 3.0\0",
            ...(index > 0 ? [] : [Buffer.from("8BIM\x04\x04\0\0\0\x02\x49\xe9", "latin1")]),
            part,
          ),
      ),
    );
    const written = await writtenFrom(file);
    expect((await of(file)).iptc?.length).toBe(30_005);
    expect(written.picture.length).toBeLessThan(70_000);
    const text = "some words ".repeat(6_000);
    expect((await of(tiffWithXmp(xmpPacket(`<own:t>${text}</own:t>`)), "tif")).xmp).toBeUndefined();
  });

  it("is empty when there is none or none of use", async () => {
    expect(await of(jpegOf())).toEqual({});
    expect(exifBlock({ image: [], exif: [], gps: [] })).toBeUndefined();
    for (const packet of [
      "<x",
      "<html/>",
      "<!DOCTYPE r><r/>",
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>',
    ])
      expect(await of(withXmp(packet))).toEqual({});
    expect(await of(jpegOf(segment(0xe1, "Exif\0\0", "damaged")))).toEqual({});
  });

  test.each([
    ["jpg", jpegWithAll()],
    ["tif", tiffWithAll()],
    ["png", pngWithAll()],
  ] as const)("can be written from a corrupt %s", async (format, file) => {
    const chance = random(5);
    const image = sharp({ create: { width: 8, height: 8, channels: 3, background: "#48a" } });
    const picture = await image.jpeg().toBuffer();
    for (let round = 0; round < amount(400); round++) {
      const damaged = Uint8Array.from(file);
      for (let change = chance.whole(1, 8); change > 0; change--)
        damaged[chance.whole(0, file.length - 1)] = chance.one([
          0,
          0x3c,
          0x7f,
          0xff,
          chance.whole(0, 255),
        ]);
      const written = embed(picture, "jpg", await of(damaged, format));
      const { problems } = await readMetadata(memoryReader(written), { format: "jpg" }, signal);
      // Odd values may be copied: the blocks are intact.
      expect(problems.filter((one) => !one.includes("type of field"))).toEqual([]);
      expect(Buffer.from(written).subarray(-picture.length + 20)).toEqual(picture.subarray(20));
    }
  });
});

const tiffWithXmp = (packet: string): Buffer => {
  const bytes = Buffer.from(packet);
  return tiffOf([{ entries: [[700, 1, bytes.length, bytes]] }]);
};
