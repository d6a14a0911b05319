import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { exifParts, tiffOf, xmpPacket, xmpProperties } from "../../../test/metadata-files.ts";
import { memoryReader } from "../../../test/readers.ts";
import { readMetadata } from "./read.ts";
import type { Metadata } from "./values.ts";

const signal = new AbortController().signal;

const read = (bytes: Uint8Array): Promise<Metadata> =>
  readMetadata(memoryReader(bytes), { format: "jxl" }, signal);

const box = (type: string, ...contents: readonly (string | Uint8Array)[]): Buffer => {
  const data = Buffer.concat(contents.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + data.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, data]);
};

const fileOf = (...boxes: readonly Buffer[]): Buffer =>
  Buffer.concat([box("JXL ", Buffer.from("\r\n\x87\n", "latin1")), ...boxes, box("jxlc", "…")]);

const exif = (): Buffer => tiffOf(exifParts(false));

const noOffset = Buffer.alloc(4);

test("a JPEG XL tells its Exif and XMP", async () => {
  const {
    exif: found,
    xmp,
    problems,
  } = await read(fileOf(box("Exif", noOffset, exif()), box("xml ", xmpPacket())));
  expect(found?.image?.["Make"]).toBe("Vitrine");
  expect(xmp?.properties).toEqual(xmpProperties);
  expect(problems).toEqual([]);
});

test("boxes in Brotli are undone", async () => {
  const {
    exif: found,
    xmp,
    problems,
  } = await read(
    fileOf(
      box("brob", "Exif", brotliCompressSync(Buffer.concat([noOffset, exif()]))),
      box("brob", "xml ", brotliCompressSync(Buffer.from(xmpPacket()))),
    ),
  );
  expect(found?.image?.["Make"]).toBe("Vitrine");
  expect(xmp?.properties).toEqual(xmpProperties);
  expect(problems).toEqual([]);
});

test("what is damaged or too large is left out and told", async () => {
  const damaged = await read(fileOf(box("brob", "xml ", "this is no Brotli at all")));
  expect(damaged.xmp).toBeUndefined();
  expect(damaged.problems).toEqual([
    "Expected xmp of the JPEG XL in Brotli; it is damaged, and left out.",
  ]);
  const bomb = brotliCompressSync(Buffer.alloc(5_000_000));
  expect((await read(fileOf(box("brob", "Exif", bomb)))).problems).toHaveLength(1);
  expect((await read(fileOf(box("Exif", Buffer.from([0, 0, 1, 0]))))).problems).toEqual([
    "Expected exif in the JPEG XL behind its header; there is none.",
  ]);
});

test("a bare codestream has none", async () => {
  expect(await read(Buffer.from([0xff, 0x0a, 1, 2, 3]))).toEqual({ problems: [] });
});
