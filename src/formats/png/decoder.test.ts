import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { animated, type Pixel, size, whole } from "../../../test/apng.ts";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { Rect } from "../../core/geometry.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createPngDecoder } from "./decoder.ts";

const decoder = createPngDecoder(new Config().view(decodingKeys));
const signal = new AbortController().signal;

const red: Pixel = [255, 0, 0, 255];
const green: Pixel = [0, 255, 0, 255];
const blue: Pixel = [0, 0, 255, 255];
const clear: Pixel = [0, 0, 0, 0];
const faintWhite: Pixel = [255, 255, 255, 128];

const pagesOf = async (file: Uint8Array): Promise<number> =>
  (await decoder.info(memoryReader(file), signal)).pages.length;

/** The pixels of the first row of a page. */
const rowOf = async (file: Uint8Array, page: number): Promise<number[][]> => {
  const reader = memoryReader(file);
  const info = await decoder.info(reader, signal);
  const raster = await decoder.read(
    reader,
    info,
    { page, region: whole, atLeast: size },
    plan,
    signal,
  );
  const data = await raster.image.ensureAlpha().raw().toBuffer();
  return Array.from({ length: size.width }, (_, x) => [...data.subarray(x * 4, x * 4 + 4)]);
};

const left: Rect = { x: 0, y: 0, width: 2, height: 2 };
const middle: Rect = { x: 1, y: 0, width: 2, height: 2 };

describe("an animated PNG", () => {
  test("has its frames as pages", async () => {
    const file = animated([{ pixel: red }, { pixel: green }, { pixel: blue }]);
    expect(await pagesOf(file)).toBe(3);
    expect(await rowOf(file, 0)).toEqual([red, red, red, red]);
    expect(await rowOf(file, 2)).toEqual([blue, blue, blue, blue]);
  });

  test("has its default image as the first page when it is not a frame", async () => {
    const file = animated([{ pixel: green }, { pixel: blue }], red);
    expect(await pagesOf(file)).toBe(3);
    expect(await rowOf(file, 0)).toEqual([red, red, red, red]);
    expect(await rowOf(file, 1)).toEqual([green, green, green, green]);
  });

  test("blends frames over previous ones", async () => {
    const file = animated([
      { pixel: red },
      { rect: left, pixel: green },
      { rect: middle, pixel: faintWhite, blend: 1 },
      { rect: left, pixel: clear },
    ]);
    expect(await rowOf(file, 1)).toEqual([green, green, red, red]);
    const over = await rowOf(file, 2);
    expect(over[1]).toEqual([128, 255, 128, 255]);
    expect(over[2]).toEqual([255, 128, 128, 255]);
    expect((await rowOf(file, 3))[0]).toEqual(clear);
  });

  test("disposes of frames as specified", async () => {
    const file = animated([
      { pixel: red },
      { rect: left, pixel: green, dispose: 1 },
      { rect: middle, pixel: blue, dispose: 2 },
      { rect: { x: 3, y: 0, width: 1, height: 2 }, pixel: green },
    ]);
    expect(await rowOf(file, 1)).toEqual([green, green, red, red]);
    expect(await rowOf(file, 2)).toEqual([clear, blue, blue, red]);
    expect(await rowOf(file, 3)).toEqual([clear, clear, red, green]);
  });

  test("renders frames that follow a full-canvas frame", async () => {
    const file = animated([
      { pixel: red },
      { pixel: green, dispose: 2 },
      { rect: left, pixel: blue },
      { pixel: blue },
      { rect: left, pixel: red },
    ]);
    expect(await rowOf(file, 2)).toEqual([blue, blue, red, red]);
    expect(await rowOf(file, 4)).toEqual([red, red, blue, blue]);
  });

  test.each([
    [
      "a frame beyond the canvas",
      animated([{ pixel: red }, { rect: { ...middle, x: 3 }, pixel: red }]),
    ],
    ["a frame of no size", animated([{ pixel: red }, { rect: { ...left, width: 0 }, pixel: red }])],
    ["frames that are not counted through", renumbered()],
    ["no end", animated([{ pixel: red }, { pixel: blue }]).subarray(0, -20)],
  ])("with %s has only its default image", async (_, file) => {
    expect(await pagesOf(file)).toBe(1);
    expect(await rowOf(file, 0)).toEqual([red, red, red, red]);
  });

  test("is rejected when the requested frame is damaged or missing", async () => {
    const file = animated([{ pixel: red }, { pixel: blue }]);
    file.fill(0xff, file.indexOf("fdAT") + 8, file.indexOf("fdAT") + 13);
    await expect(rowOf(file, 1)).rejects.toMatchObject({ failure: "unreadable" });
    await expect(rowOf(file, 2)).rejects.toMatchObject({ failure: "missing" });
  });
});

test("a plain PNG has one page", async () => {
  const file = await sharp({ create: { ...size, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  expect(await pagesOf(file)).toBe(1);
});

/** The second frame is numbered as if there were one before it. */
function renumbered(): Buffer {
  const file = animated([{ pixel: red }, { pixel: blue }]);
  const second = file.lastIndexOf("fcTL");
  file.writeUInt32BE(7, second + 4);
  return file;
}

test("16-bit colour pixels count twice towards processor.max_scanned_pixels", async () => {
  const few = new Config({ "processor.max_scanned_pixels": 1_000_000 }).view(decodingKeys);
  const png = (width: number, space: "srgb" | "rgb16") =>
    sharp({ create: { width, height: 1_000, channels: 4, background: "#1234" } })
      .toColourspace(space)
      .png()
      .toBuffer();
  const info = async (bytes: Uint8Array) =>
    createPngDecoder(few).info(memoryReader(new Uint8Array(bytes)), new AbortController().signal);
  expect((await info(await png(900, "srgb"))).pages[0].colour.bits).toBe(8);
  expect((await info(await png(400, "rgb16"))).pages[0].colour.bits).toBe(16);
  await expect(info(await png(600, "rgb16"))).rejects.toThrow("at most 500000 pixels");
});
