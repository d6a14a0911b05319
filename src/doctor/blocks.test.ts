import { describe, expect, it } from "vitest";
import type { Size } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { blocksOf } from "./blocks.ts";

const page = (size: Size, tile: Size, ...smaller: Size[]): Page => ({
  size,
  orientation: 1,
  levels: [{ size, tile }, ...smaller.map((one) => ({ size: one, tile }))],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
});

describe("the blocks of a page", () => {
  it.each([
    [
      { width: 10_000, height: 9_000 },
      { width: 256, height: 256 },
    ],
    [
      { width: 30_001, height: 2_999 },
      { width: 30_001, height: 1 },
    ],
    [
      { width: 9_000, height: 9_000 },
      { width: 4_096, height: 4_096 },
    ],
    [
      { width: 300, height: 200 },
      { width: 128, height: 128 },
    ],
  ])("cover %j in tiles of %j once, in blocks of bounded size", (size, tile) => {
    const blocks = [...blocksOf(page(size, tile))];
    const pixels = blocks.reduce((sum, { width, height }) => sum + width * height, 0);
    expect(pixels).toBe(size.width * size.height);
    const max = Math.max(4_194_304, tile.width * tile.height);
    for (const { x, y, width, height } of blocks) {
      expect(width * height).toBeLessThanOrEqual(max);
      expect([x % tile.width, y % tile.height]).toEqual([0, 0]);
      expect(x + width).toBeLessThanOrEqual(size.width);
      expect(y + height).toBeLessThanOrEqual(size.height);
    }
    expect(new Set(blocks.map(({ x, y }) => `${x},${y}`)).size).toBe(blocks.length);
  });

  it("start with a representative sample of the page", () => {
    const size = { width: 40_000, height: 40_000 };
    const all = [...blocksOf(page(size, { width: 512, height: 512 }))];
    const rows = all.slice(0, Math.ceil(all.length / 10)).map(({ y }) => Math.floor(y / 10_000));
    expect(new Set(rows)).toEqual(new Set([0, 1, 2, 3]));
  });

  it("are none if a page is untiled", () => {
    const size = { width: 10_000, height: 9_000 };
    expect([...blocksOf(page(size, size))]).toEqual([]);
  });
});
