import sharp from "sharp";
import { expect, test } from "vitest";
import { type BmpParts, bmpFile } from "../../../test/bitmaps.ts";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { Rect, Size } from "../../core/geometry.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createBmpDecoder } from "./decoder.ts";

const signal = new AbortController().signal;
const decoder = createBmpDecoder(new Config().view(decodingKeys));

const read = async (
  reader: RangeReader,
  { region, atLeast }: { readonly region?: Rect; readonly atLeast?: Size } = {},
) => {
  const info = await decoder.info(reader, signal);
  const part = region ?? { x: 0, y: 0, ...info.pages[0].size };
  const window = { page: 0, region: part, atLeast: atLeast ?? part };
  const raster = await decoder.read(reader, info, window, plan, signal);
  const { model } = info.pages[0].colour;
  const { data } = await raster.image
    .toColourspace(model === "grey" ? "b-w" : "srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { values: [...data], covers: raster.covers, size: raster.size, info };
};

const valuesOf = async (parts: BmpParts): Promise<number[]> =>
  (await read(memoryReader(bmpFile(parts)))).values;

/** Red, green; and below them blue, white. */
const four = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
const colours = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0];
const short = colours.filter((_, at) => at % 4 !== 3);
const two = { width: 2, height: 2 };

test("palettes of 1 to 8 bits are read, with OS/2 and Windows headers", async () => {
  const eight = { ...two, bits: 8, pixels: Uint8Array.of(2, 3, 0, 0, 0, 1, 0, 0) };
  for (const header of [40, 52, 56, 64, 108, 124])
    expect(await valuesOf({ ...eight, header, palette: colours })).toEqual(four);
  const full = [...short, ...Array.from({ length: 252 * 3 }, () => 9)];
  expect(await valuesOf({ ...eight, header: 12, palette: full })).toEqual(four);
  const pixels = (low: number, high: number) => Uint8Array.of(low, 0, 0, 0, high, 0, 0, 0);
  expect(await valuesOf({ ...two, bits: 4, palette: colours, pixels: pixels(0x23, 0x01) })).toEqual(
    four,
  );
  expect(await valuesOf({ ...two, bits: 2, palette: colours, pixels: pixels(0xb0, 0x10) })).toEqual(
    four,
  );
  const white = [0, 0, 0, 0, 255, 255, 255, 0];
  expect(await valuesOf({ ...two, bits: 1, palette: white, pixels: pixels(0x40, 0x80) })).toEqual([
    255, 0, 0, 255,
  ]);
});

test("24-bit pixels are read bottom-up and top-down", async () => {
  const rows = [
    [255, 0, 0, 255, 255, 255, 0, 0],
    [0, 0, 255, 0, 255, 0, 0, 0],
  ];
  const upward = Uint8Array.from(rows.flat());
  const downward = Uint8Array.from([...rows].reverse().flat());
  expect(await valuesOf({ ...two, bits: 24, pixels: upward })).toEqual(four);
  expect(await valuesOf({ ...two, height: -2, bits: 24, pixels: downward })).toEqual(four);
});

test("bit fields are scaled to 8 bits, including alpha, within the header or behind it", async () => {
  const one = { width: 2, height: 1, bits: 16, compression: 3 };
  const pixels = Buffer.from(Uint16Array.of(0xf800, 0x07e0).buffer);
  const masks = [0xf800, 0x07e0, 0x001f];
  expect(await valuesOf({ ...one, masks, pixels })).toEqual([255, 0, 0, 0, 255, 0]);
  const five = {
    ...one,
    compression: 0,
    pixels: Buffer.from(Uint16Array.of(0x7c00, 0x4210).buffer),
  };
  expect(await valuesOf(five)).toEqual([255, 0, 0, 132, 132, 132]);
  const wide = Buffer.from(Uint32Array.of(0x80_01_02_03, 0xff_fa_fb_fc).buffer);
  const all = [0xff0000, 0xff00, 0xff, 0xff000000];
  for (const header of [56, 108])
    expect(await valuesOf({ ...one, header, bits: 32, masks: all, pixels: wide })).toEqual([
      1, 2, 3, 128, 250, 251, 252, 255,
    ]);
  const outside = { ...one, compression: 6, bits: 32, masks: all, pixels: wide };
  expect(await valuesOf(outside)).toEqual([1, 2, 3, 128, 250, 251, 252, 255]);
  expect(await valuesOf({ ...one, compression: 0, bits: 32, pixels: wide })).toEqual([
    1, 2, 3, 250, 251, 252,
  ]);
});

test("run lengths of 4 and 8 bits are decoded, including jumps and literal runs", async () => {
  const greys = Array.from({ length: 16 }, (_, at) => [at, at, at, 0]).flat();
  const base = { width: 5, height: 3, palette: greys };
  const rle8 = Uint8Array.of(3, 7, 0, 0, 0, 3, 1, 2, 3, 0, 2, 9, 0, 2, 0, 1, 0, 1);
  expect(await valuesOf({ ...base, bits: 8, compression: 1, pixels: rle8 })).toEqual([
    0, 0, 0, 0, 0, 1, 2, 3, 9, 9, 7, 7, 7, 0, 0,
  ]);
  const rle4 = Uint8Array.of(5, 0x12, 0, 0, 0, 5, 0x34, 0x56, 0x70, 0, 0, 0, 1, 0x80, 0, 1);
  expect(await valuesOf({ ...base, bits: 4, compression: 2, pixels: rle4 })).toEqual([
    8, 0, 0, 0, 0, 3, 4, 5, 6, 7, 1, 2, 1, 2, 1,
  ]);
});

test("a profile other than sRGB is passed on", async () => {
  const { icc } = await sharp({ create: { ...two, channels: 3, background: "red" } })
    .withIccProfile("p3")
    .png()
    .toBuffer()
    .then((png) => sharp(png).metadata());
  const file = bmpFile({
    ...two,
    header: 124,
    bits: 24,
    profile: icc ?? Buffer.alloc(0),
    pixels: new Uint8Array(16),
  });
  const reader = memoryReader(file);
  const info = await decoder.info(reader, signal);
  expect(info.pages[0].colour.profile).toBe("kept");
  const part = { x: 0, y: 0, ...two };
  const raster = await decoder.read(
    reader,
    info,
    { page: 0, region: part, atLeast: part },
    plan,
    signal,
  );
  expect(
    (
      await raster.image
        .keepIccProfile()
        .png()
        .toBuffer()
        .then((png) => sharp(png).metadata())
    ).icc,
  ).toEqual(icc);
});

test("only the rows of a region are read, and large images are reduced by averaging", async () => {
  const size = { width: 64, height: 2_000 };
  const pixels = Uint8Array.from({ length: 64 * 2_000 }, (_, at) => (at >> 6) & 255);
  const greys = Array.from({ length: 256 }, (_, at) => [at, at, at, 0]).flat();
  const file = bmpFile({ ...size, bits: 8, palette: greys, pixels });
  let bytes = 0;
  const counting: RangeReader = {
    ...memoryReader(file),
    read: async (offset, length) => {
      bytes += length;
      return file.subarray(offset, offset + length);
    },
  };
  const region = { x: 3, y: 10, width: 2, height: 2 };
  const rows = await read(counting, { region });
  expect(rows.values).toEqual([1_989, 1_988].flatMap((row) => [row & 255, row & 255]));
  expect(bytes).toBeLessThan(5_000);
  const reduced = await read(memoryReader(file), {
    region: { x: 0, y: 1_990, width: 64, height: 10 },
    atLeast: { width: 8, height: 1.25 },
  });
  expect(reduced.size).toEqual({ width: 16, height: 3 });
  expect(reduced.covers).toEqual({ x: 0, y: 1_988, width: 64, height: 12 });
  // Of rows 11 to 0, counted from the bottom.
  expect(reduced.values.filter((_, at) => at % 16 === 0)).toEqual([10, 6, 2]);
});

test("truncated and contradictory files are refused", async () => {
  const refused = async (file: Uint8Array, message: RegExp): Promise<void> => {
    await expect(read(memoryReader(file))).rejects.toMatchObject({
      failure: "unreadable",
      message: expect.stringMatching(message),
    });
  };
  const sound = bmpFile({ ...two, bits: 24, pixels: new Uint8Array(16) });
  await refused(sound.subarray(0, sound.length - 4), /14 bytes of pixels .* found 12/);
  await refused(bmpFile({ ...two, bits: 5, pixels: new Uint8Array(16) }), /5 bits/);
  await refused(bmpFile({ ...two, width: 0, bits: 8, pixels: new Uint8Array(16) }), /0 x 2/);
  const masks = [0xf0f0, 0, 0];
  await refused(
    bmpFile({ ...two, bits: 16, compression: 3, masks, pixels: new Uint8Array(16) }),
    /contiguous/,
  );
  const runs = { ...two, bits: 8, compression: 1, palette: colours };
  await refused(bmpFile({ ...runs, pixels: Uint8Array.of(2, 1) }), /Truncated run-length/);
  await refused(bmpFile({ ...runs, height: -2, pixels: Uint8Array.of(0, 1) }), /top-down/);
});
