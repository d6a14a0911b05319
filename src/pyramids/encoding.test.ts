import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { FormatName } from "../core/formats.ts";
import type { Colour, Page } from "../core/info.ts";
import { encodingFor, mayHavePyramid, type PyramidEncoding } from "./encoding.ts";

const size = { width: 64, height: 64 };

const page = (colour: Partial<Colour> = {}): Page => ({
  size,
  orientation: 1,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none", ...colour },
});

const drawn = sharp({ create: { ...size, channels: 3, background: "teal" } });

const chosen = (
  format: FormatName,
  start: Uint8Array,
  colour: Partial<Colour> = {},
  encoding: PyramidEncoding = "auto",
) => {
  const choice = { start, quality: 88, encoding };
  const { compression, quality } = encodingFor({ format }, page(colour), choice);
  return compression === "jpeg" ? `jpeg ${quality}` : compression;
};

describe("a pyramid is stored", () => {
  it("as JPEG with the same chroma subsampling if the image is a JPEG", async () => {
    const half = await drawn.clone().jpeg().toBuffer();
    const full = await drawn.clone().jpeg({ chromaSubsampling: "4:4:4" }).toBuffer();
    expect(chosen("jpg", half)).toBe("jpeg 88");
    expect(chosen("jpg", full)).toBe("jpeg 92");
    expect(chosen("jpg", half.subarray(0, 8))).toBe("jpeg 88");
  });

  it("as JPEG for lossy WebP, and losslessly for lossless WebP", async () => {
    expect(chosen("webp", await drawn.clone().webp().toBuffer())).toBe("jpeg 88");
    expect(chosen("webp", await drawn.clone().webp({ lossless: true }).toBuffer())).toBe("deflate");
  });

  it("losslessly if the image is lossless or JPEG cannot represent it", () => {
    const nothing = new Uint8Array(0);
    for (const format of ["png", "tif", "bmp", "jp2"] as const)
      expect(chosen(format, nothing)).toBe("deflate");
    expect(chosen("avif", nothing)).toBe("jpeg 88");
    expect(chosen("avif", nothing, { bits: 10 })).toBe("deflate");
    expect(chosen("avif", nothing, { alpha: true })).toBe("deflate");
  });
});

describe("a pyramid is stored as configured", () => {
  const nothing = new Uint8Array(0);

  it("unless the encoding cannot represent the image", () => {
    expect(chosen("png", nothing, {}, "jpeg")).toBe("jpeg 92");
    expect(chosen("png", nothing, { alpha: true }, "jpeg")).toBe("deflate");
    expect(chosen("png", nothing, { bits: 16 }, "jpeg")).toBe("deflate");
    expect(chosen("png", nothing, { alpha: true }, "webp")).toBe("webp");
    expect(chosen("png", nothing, { bits: 16 }, "webp")).toBe("deflate");
    expect(chosen("png", nothing, { model: "grey" }, "webp")).toBe("deflate");
  });

  it("losslessly with deflate, even if the image is lossy", async () => {
    const half = await drawn.clone().jpeg().toBuffer();
    expect(chosen("jpg", half, {}, "deflate")).toBe("deflate");
    expect(chosen("jpg", half, { model: "grey" }, "webp")).toBe("jpeg 88");
  });
});

it("reduced levels of lossy pyramids have a higher quality, those of lossless ones have none", async () => {
  const half = await drawn.clone().jpeg().toBuffer();
  const full = await drawn.clone().jpeg({ chromaSubsampling: "4:4:4" }).toBuffer();
  const reduced = (start: Uint8Array, quality: number, encoding: PyramidEncoding = "auto") =>
    encodingFor({ format: "jpg" }, page(), { start, quality, encoding }).reducedQualities;
  expect(reduced(half, 88)).toEqual([92, 94, 96]);
  expect(reduced(full, 88)).toEqual([92, 94, 96]);
  expect(reduced(full, 80)).toEqual([92, 92, 92]);
  expect(reduced(half, 60)).toEqual([64, 66, 68]);
  expect(reduced(full, 99)).toEqual([99, 99, 99]);
  expect(reduced(half, 97)).toEqual([98, 98, 98]);
  expect(reduced(half, 80, "webp")).toEqual([84, 86, 88]);
  expect(reduced(half, 88, "deflate")).toBeUndefined();
});

it("formats without pixels of their own have no pyramids", () => {
  expect(mayHavePyramid({ format: "jpg" })).toBe(true);
  for (const format of ["pdf", "svg"] as const) expect(mayHavePyramid({ format })).toBe(false);
});
