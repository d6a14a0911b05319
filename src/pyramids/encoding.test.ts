import { describe, expect, it } from "vitest";
import type { FormatName } from "../core/formats.ts";
import type { Colour, Losses, Page } from "../core/info.ts";
import { encodingFor, mayHavePyramid, type PyramidEncoding } from "./encoding.ts";

const size = { width: 64, height: 64 };

const page = (colour: Partial<Colour> = {}): Page => ({
  size,
  orientation: 1,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none", ...colour },
});

const chosen = (
  format: FormatName,
  { losses, ...colour }: Partial<Colour> & { readonly losses?: Losses } = {},
  encoding: PyramidEncoding = "auto",
) => {
  const info = { format, ...(losses && { losses }) };
  const { compression, quality } = encodingFor(info, page(colour), { quality: 88, encoding });
  return compression === "jpeg" ? `jpeg ${quality}` : compression;
};

describe("a pyramid is stored", () => {
  it("as JPEG with the same chroma subsampling if the image is a JPEG", () => {
    expect(chosen("jpg")).toBe("jpeg 88");
    expect(chosen("jpg", { losses: "accuracy" })).toBe("jpeg 92");
  });

  it("as JPEG for lossy WebP, and losslessly for lossless WebP", () => {
    expect(chosen("webp")).toBe("jpeg 88");
    expect(chosen("webp", { losses: "none" })).toBe("deflate");
  });

  it("losslessly if the image is lossless or JPEG cannot represent it", () => {
    for (const format of ["png", "tif", "bmp", "jp2"] as const)
      expect(chosen(format)).toBe("deflate");
    expect(chosen("avif")).toBe("jpeg 88");
    expect(chosen("avif", { bits: 10 })).toBe("deflate");
    expect(chosen("avif", { alpha: true })).toBe("deflate");
  });
});

describe("a pyramid is stored as configured", () => {
  it("unless the encoding cannot represent the image", () => {
    expect(chosen("png", {}, "jpeg")).toBe("jpeg 92");
    expect(chosen("png", { alpha: true }, "jpeg")).toBe("deflate");
    expect(chosen("png", { bits: 16 }, "jpeg")).toBe("deflate");
    expect(chosen("png", { alpha: true }, "webp")).toBe("webp");
    expect(chosen("png", { bits: 16 }, "webp")).toBe("deflate");
    expect(chosen("png", { model: "grey" }, "webp")).toBe("deflate");
  });

  it("losslessly with deflate, even if the image is lossy", () => {
    expect(chosen("jpg", {}, "deflate")).toBe("deflate");
    expect(chosen("jpg", { model: "grey" }, "webp")).toBe("jpeg 88");
  });
});

it("reduced levels of lossy pyramids have a higher quality, those of lossless ones have none", () => {
  const reduced = (losses: Losses, quality: number, encoding: PyramidEncoding = "auto") =>
    encodingFor({ format: "jpg", losses }, page(), { quality, encoding }).reducedQualities;
  expect(reduced("chroma", 88)).toEqual([92, 94, 96]);
  expect(reduced("accuracy", 88)).toEqual([92, 94, 96]);
  expect(reduced("accuracy", 80)).toEqual([92, 92, 92]);
  expect(reduced("chroma", 60)).toEqual([64, 66, 68]);
  expect(reduced("accuracy", 99)).toEqual([99, 99, 99]);
  expect(reduced("chroma", 97)).toEqual([98, 98, 98]);
  expect(reduced("chroma", 80, "webp")).toEqual([84, 86, 88]);
  expect(reduced("chroma", 88, "deflate")).toBeUndefined();
});

it("formats without pixels of their own have no pyramids", () => {
  expect(mayHavePyramid({ format: "jpg" })).toBe(true);
  for (const format of ["pdf", "svg"] as const) expect(mayHavePyramid({ format })).toBe(false);
});
