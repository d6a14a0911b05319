import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { expect, test } from "vitest";
import { rasterBombs } from "../../../test/malformed/bombs/raster.ts";
import { memoryReader } from "../../../test/readers.ts";
import { areTextsLong, withoutTexts } from "./png-texts.ts";

const signal = new AbortController().signal;

const chunk = (type: string, data: Uint8Array): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, data, Buffer.alloc(4)]);
};

const zeros = deflateSync(Buffer.alloc(2_000_000));
const texts = {
  zTXt: chunk("zTXt", Buffer.concat([Buffer.from("a\0\0", "latin1"), zeros])),
  compressed: chunk(
    "iTXt",
    Buffer.concat([Buffer.from("XML:com.adobe.xmp\0\x01\0\0\0", "latin1"), zeros]),
  ),
  plain: chunk(
    "iTXt",
    Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${"<x/>".repeat(300_000)}`, "latin1"),
  ),
};

test("long compressed PNG texts are removed, and nothing else", async () => {
  const png = await sharp({ create: { width: 9, height: 7, channels: 3, background: "#37a" } })
    .png()
    .toBuffer();
  const withTexts = (...parts: readonly Buffer[]): Buffer =>
    Buffer.concat([png.subarray(0, 33), ...parts, png.subarray(33)]);
  const usual = withTexts(texts.zTXt, texts.compressed, texts.plain);
  expect(await areTextsLong(memoryReader(new Uint8Array(usual)), signal)).toBe(false);
  for (const text of [texts.zTXt, texts.compressed]) {
    const many = withTexts(Buffer.alloc(text.length * 1_000, text), texts.plain);
    expect(await areTextsLong(memoryReader(new Uint8Array(many)), signal)).toBe(true);
    expect(Buffer.from(withoutTexts(many)).equals(withTexts(texts.plain))).toBe(true);
  }
});

test("a PNG with texts that inflate to gigabytes is detected", async () => {
  const bomb = rasterBombs.find(({ name }) => name === "png-texts.png");
  const bytes = new Uint8Array((await bomb?.make()) ?? []);
  expect(await areTextsLong(memoryReader(bytes), signal)).toBe(true);
  expect(withoutTexts(bytes).length).toBeLessThan(200);
});
