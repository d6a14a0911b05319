import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import type { Rect, Size } from "../../../core/geometry.ts";
import { decodingKeys } from "../../shared/keys.ts";
import { createTiffDecoder } from "../decoder.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);

/** An image in which every pixel differs from its neighbours, with one or three bands. */
const pixels = ({ width, height }: Size, channels: 1 | 3): Buffer =>
  Buffer.from(
    Array.from({ length: width * height * channels }, (_, at) => {
      const [x, y] = [Math.floor(at / channels) % width, Math.floor(at / channels / width)];
      return (x * 7 + y * 13 + (at % channels) * 40) % 256;
    }),
  );

const tiled = (size: Size, channels: 1 | 3, options: Readonly<Record<string, unknown>>) =>
  sharp(pixels(size, channels), { raw: { ...size, channels } })
    .toColourspace(channels === 1 ? "b-w" : "srgb")
    .tiff({ tile: true, tileWidth: 512, tileHeight: 512, ...options })
    .toBuffer();

const read = async (bytes: Uint8Array, region: Rect, atLeast: Size = region) => {
  const decoder = createTiffDecoder(settings);
  const reader = memoryReader(bytes);
  const info = await decoder.info(reader, signal);
  return decoder.read(reader, info, { page: 0, region, atLeast }, plan, signal);
};

describe("a tile much larger than its content", () => {
  test.each([
    [
      "the corner of a picture",
      { width: 542, height: 530 },
      { x: 512, y: 512, width: 30, height: 18 },
    ],
    ["a whole small picture", { width: 100, height: 60 }, { x: 0, y: 0, width: 100, height: 60 }],
    ["a picture of one pixel", { width: 1, height: 1 }, { x: 0, y: 0, width: 1, height: 1 }],
  ])("is read correctly: %s", async (_, size, region) => {
    for (const channels of [1, 3] as const) {
      const bytes = await tiled(size, channels, { compression: "deflate" });
      const raster = await read(bytes, region);
      expect(raster.covers).toEqual(region);
      const { data, info } = await raster.image.raw().toBuffer({ resolveWithObject: true });
      const wanted = await sharp(pixels(size, channels), { raw: { ...size, channels } })
        .extract({ left: region.x, top: region.y, width: region.width, height: region.height })
        .toColourspace(channels === 1 ? "b-w" : "srgb")
        .raw()
        .toBuffer();
      const bands = info.channels / channels;
      expect(data.filter((_value, at) => at % bands === 0 || bands === 1)).toEqual(wanted);
    }
  });
});

test("a one-pixel region is read from the full-size level", async () => {
  const size = { width: 600, height: 400 };
  const bytes = await tiled(size, 3, {
    compression: "deflate",
    tileWidth: 64,
    tileHeight: 64,
    pyramid: true,
  });
  const raster = await read(bytes, { x: 301, y: 203, width: 1, height: 1 });
  expect(raster.size).toEqual({ width: raster.covers.width, height: raster.covers.height });
});
