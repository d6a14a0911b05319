import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { asciiEntry, iptcBlock, tiffOf } from "../../../../test/metadata-files.ts";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import type { FormatName } from "../../../core/formats.ts";
import { readBlocks, readMetadata } from "../../embedded-metadata.ts";
import { formatNamed } from "../../registry.ts";
import { carriedMetadata } from "../pyramid/carried.ts";
import type { EmbeddedBlocks } from "./blocks.ts";
import { carriesMetadata, embed } from "./embed.ts";

const { signal } = new AbortController();
const rdf =
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="Grün &amp; 本"/></rdf:RDF>';

const formats = ["jpg", "png", "tif", "webp", "gif", "avif", "jp2", "jxl"] as const;

/** An image with a profile and an odd height. */
const drawing = (): Sharp =>
  sharp({ create: { width: 61, height: 33, channels: 3, background: "#48a" } })
    .composite([{ input: { create: { width: 9, height: 9, channels: 3, background: "#fb0" } } }])
    .withIccProfile("p3");

const encoded = (format: FormatName): Promise<Uint8Array> => {
  const image = drawing();
  return (
    formatNamed(format)?.encoder?.encode(image, { ...plan, format }, signal) ??
    Promise.reject(format)
  );
};

/** Camera metadata, in the fields that are copied to other files. */
const fields = async (): Promise<NonNullable<EmbeddedBlocks["exif"]>> => {
  const block = tiffOf([
    {
      entries: [asciiEntry(315, "Ann"), asciiEntry(33432, "A long notice of rights")],
      leads: {
        34665: { entries: [asciiEntry(0x9003, "2026:01:01 00:00:00")] },
        34853: { entries: [asciiEntry(1, "N")] },
      },
    },
  ]);
  const jpeg = Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, block.length + 8]),
    Buffer.from("Exif\0\0"),
    block,
    Buffer.from([0xff, 0xd9]),
  ]);
  return carriedMetadata(memoryReader(jpeg), { format: "jpg" }, signal);
};

const pixelsOf = (picture: Uint8Array): Promise<Buffer> => sharp(picture).raw().toBuffer();

describe.each(formats)("metadata in %s", (format) => {
  it("is read back and leaves the image unchanged", async () => {
    const picture = await encoded(format);
    const written = embed(picture, format, {
      xmp: rdf,
      exif: await fields(),
      iptc: iptcBlock(),
    });
    const found = await readMetadata(memoryReader(written), { format }, signal);
    expect(found.problems).toEqual([]);
    expect(found.xmp?.properties).toEqual({ "dc:source": "Grün & 本" });
    if (format !== "gif")
      expect(found.exif).toMatchObject({
        image: { Artist: "Ann", Copyright: "A long notice of rights" },
        photo: { DateTimeOriginal: "2026:01:01 00:00:00" },
        gps: { GPSLatitudeRef: "N" },
      });
    if (format === "jpg" || format === "tif" || format === "jp2")
      expect(found.iptc).toMatchObject({ Headline: "Gemälde" });
    const before = await readBlocks(memoryReader(picture), { format }, signal);
    const after = await readBlocks(memoryReader(written), { format }, signal);
    expect(after.icc).toEqual(before.icc);
    if (format === "jp2" || format === "jxl") return;
    expect(await pixelsOf(written)).toEqual(await pixelsOf(picture));
    const { xmp, exif, width, height } = await sharp(written).metadata();
    expect({ width, height }).toEqual({ width: 61, height: 33 });
    if (format !== "gif") expect(exif?.includes("Ann") || format === "tif").toBe(true);
    if (format !== "gif") expect(xmp?.toString()).toContain("Grün &amp; 本");
  });
});

it("metadata is not written into a PDF", () => {
  expect(carriesMetadata("pdf")).toBe(false);
  expect(embed(Uint8Array.of(1), "pdf", { xmp: rdf })).toEqual(Uint8Array.of(1));
});

it("long metadata is split into parts in a JPEG", async () => {
  const long = rdf.replace("Grün", "x".repeat(200_000));
  const written = embed(await encoded("jpg"), "jpg", { xmp: long });
  const { xmp, problems } = await readMetadata(memoryReader(written), { format: "jpg" }, signal);
  expect(problems).toEqual([]);
  expect(xmp?.properties["dc:source"]).toBe(`${"x".repeat(200_000)} & 本`);
  expect((await sharp(written).metadata()).width).toBe(61);
});

it("XMP may have its own outer element or follow a comment", async () => {
  for (const xmp of [`<x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf}</x:xmpmeta>`, `<!-- -->${rdf}`]) {
    const written = embed(await encoded("png"), "png", { xmp });
    const found = await readMetadata(memoryReader(written), { format: "png" }, signal);
    expect(found.xmp?.properties).toEqual({ "dc:source": "Grün & 本" });
    expect(found.xmp?.packet.split("x:xmpmeta ")).toHaveLength(2);
  }
});

it("metadata is added to a WebP in the extended form without losing transparency", async () => {
  const clear = sharp({ create: { width: 5, height: 3, channels: 4, background: "#48a8" } });
  for (const lossless of [false, true]) {
    const picture = await clear.clone().webp({ lossless }).toBuffer();
    const written = embed(picture, "webp", { xmp: rdf });
    expect(await pixelsOf(written)).toEqual(await pixelsOf(picture));
    expect(await sharp(written).metadata()).toMatchObject({ hasAlpha: true, width: 5, height: 3 });
    const twice = embed(written, "webp", { exif: await fields() });
    expect((await sharp(twice).metadata()).exif?.includes("Ann")).toBe(true);
  }
});

it("metadata is added to a JPEG XL that already has boxes", async () => {
  const once = embed(await encoded("jxl"), "jxl", { xmp: rdf });
  const level = Buffer.concat([
    once.subarray(0, 32),
    Buffer.from([0, 0, 0, 9]),
    Buffer.from("jxll\x0a", "latin1"),
    once.subarray(32),
  ]);
  for (const file of [once, level]) {
    const written = Buffer.from(embed(file, "jxl", { exif: await fields() }));
    const found = await readMetadata(memoryReader(written), { format: "jxl" }, signal);
    expect(found).toMatchObject({ exif: { image: { Artist: "Ann" } }, xmp: {}, problems: [] });
    expect(written.indexOf("jxll") > 0).toBe(file === level);
    expect(written.indexOf("Exif")).toBeGreaterThan(written.indexOf("jxll"));
  }
});

it.each(formats)("embedding rejects a file that is not %s", (format) => {
  expect(() => embed(Buffer.alloc(64), format, { xmp: rdf })).toThrow("Expected");
});
