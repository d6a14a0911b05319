import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { FormatName } from "../core/formats.ts";
import type { Colour, Page } from "../core/info.ts";
import { encodingFor, mayHavePyramid } from "./encoding.ts";

const size = { width: 64, height: 64 };

const page = (colour: Partial<Colour> = {}): Page => ({
  size,
  orientation: 1,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none", ...colour },
});

const drawn = sharp({ create: { ...size, channels: 3, background: "teal" } });

const chosen = (format: FormatName, start: Uint8Array, colour: Partial<Colour> = {}) => {
  const { compression, quality } = encodingFor({ format }, page(colour), { start, quality: 88 });
  return compression === "jpeg" ? `jpeg ${quality}` : compression;
};

describe("a pyramid is stored", () => {
  it("as JPEG of the same chroma where the image is a JPEG", async () => {
    const half = await drawn.clone().jpeg().toBuffer();
    const full = await drawn.clone().jpeg({ chromaSubsampling: "4:4:4" }).toBuffer();
    expect(chosen("jpg", half)).toBe("jpeg 88");
    expect(chosen("jpg", full)).toBe("jpeg 92");
    expect(chosen("jpg", half.subarray(0, 8))).toBe("jpeg 88");
  });

  it("as JPEG where a WebP is lossy, and without loss where it is not", async () => {
    expect(chosen("webp", await drawn.clone().webp().toBuffer())).toBe("jpeg 88");
    expect(chosen("webp", await drawn.clone().webp({ lossless: true }).toBuffer())).toBe("deflate");
  });

  it("without loss where the image is, and where JPEG could not hold it", () => {
    const nothing = new Uint8Array(0);
    for (const format of ["png", "tif", "bmp", "jp2"] as const)
      expect(chosen(format, nothing)).toBe("deflate");
    expect(chosen("avif", nothing)).toBe("jpeg 88");
    expect(chosen("avif", nothing, { bits: 10 })).toBe("deflate");
    expect(chosen("avif", nothing, { alpha: true })).toBe("deflate");
  });
});

it("formats without pixels of their own have no pyramids", () => {
  expect(mayHavePyramid({ format: "jpg" })).toBe(true);
  for (const format of ["pdf", "svg"] as const) expect(mayHavePyramid({ format })).toBe(false);
});
