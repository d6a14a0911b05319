import { describe, expect, it } from "vitest";
import { plan } from "../../test/plans.ts";
import type { FormatName } from "../core/formats.ts";
import type { Size } from "../core/geometry.ts";
import type { ImageInfo, Level } from "../core/info.ts";
import { costOf } from "../render/cost.ts";
import { excessOf, gainOf, isSlow } from "./slow.ts";

const size = { width: 12_000, height: 9_000 };
const maxStreamed = 2 ** 30;

/** A page of so many levels, each half the one before, in tiles of the given size. */
const imageOf = (format: FormatName, tile: Size, levels = 1): ImageInfo => {
  const half = (n: number): Level => ({
    size: { width: Math.ceil(size.width / 2 ** n), height: Math.ceil(size.height / 2 ** n) },
    tile,
  });
  const others = Array.from({ length: levels - 1 }, (_, n) => half(n + 1));
  return {
    format,
    pages: [
      {
        size,
        orientation: 1,
        levels: [half(0), ...others],
        colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
      },
    ],
  };
};

const tile = { width: 256, height: 256 };

const slow = (info: ImageInfo): boolean =>
  isSlow(plan, { info, page: info.pages[0] }, (probe) => costOf(probe, info, { maxStreamed }));

describe("zooming is slow", () => {
  it("into pages without tiles, whatever their format", () => {
    for (const format of ["jpg", "png", "webp", "tif"] as const)
      expect(slow(imageOf(format, size))).toBe(true);
  });

  it("into tiled pages without levels, whose overview needs all of them", () => {
    expect(slow(imageOf("tif", tile))).toBe(true);
  });

  it("into striped pages", () => {
    expect(slow(imageOf("tif", { width: size.width, height: 16 }))).toBe(true);
  });

  it("not into tiles at several scales, nor into videos", () => {
    expect(slow(imageOf("tif", tile, 6))).toBe(false);
    expect(slow(imageOf("jp2", { width: 1_024, height: 1_024 }, 6))).toBe(false);
    expect(slow({ ...imageOf("mp4", size), seconds: 12 })).toBe(false);
  });
});

it("a request costs in excess what it decodes beyond a few pixels for each of the response", () => {
  const info = imageOf("jpg", size);
  const at = (y: number, side: number) => {
    const tileSize = { width: side, height: side };
    const asked = { ...plan, crop: { x: 0, y, ...tileSize }, size: tileSize };
    return excessOf(asked, costOf(asked, info, { maxStreamed }));
  };
  expect(at(8_192, 512)).toBeGreaterThan(0.9 * size.width * 8_704);
  expect(at(8_192, 512)).toBeGreaterThan(at(4_096, 512));
  const whole = { ...plan, crop: { x: 0, y: 0, ...size }, size };
  expect(excessOf(whole, costOf(whole, info, { maxStreamed }))).toBeLessThan(0);
});

it("pages of any proportions are judged by an overview that has pixels", () => {
  for (const long of [
    { width: 200_000, height: 3 },
    { width: 3, height: 200_000 },
  ]) {
    const info = imageOf("jpg", long);
    const [page] = info.pages;
    const sizes: Size[] = [];
    gainOf(plan, { ...page, size: long }, (probe) => {
      sizes.push(probe.size);
      return { pixels: 1 };
    });
    for (const { width, height } of sizes) expect(Math.min(width, height)).toBeGreaterThan(0);
  }
});
