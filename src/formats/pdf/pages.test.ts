import { describe, expect, it } from "vitest";
import { random } from "../../../test/random.ts";
import { pagesOf, partOf } from "./pages.ts";

const plenty = 100_000_000;

describe("the part of a page that is rendered for a window", () => {
  it("lies in the page, covers the window and has enough pixels", () => {
    const dice = random(7);
    for (let n = 0; n < 500; n++) {
      const page = { width: dice.whole(1, 5_000), height: dice.whole(1, 5_000) };
      const x = dice.whole(0, page.width - 1);
      const y = dice.whole(0, page.height - 1);
      const width = dice.whole(1, page.width - x);
      const height = dice.whole(1, page.height - y);
      const scale = 1 / dice.whole(1, 40);
      const atLeast = { width: width * scale, height: height * scale };
      const window = { page: 0, region: { x, y, width, height }, atLeast };
      const { whole, region, covers } = partOf(page, window, plenty);
      expect(region.x).toBeGreaterThanOrEqual(0);
      expect(region.x + region.width).toBeLessThanOrEqual(whole.width);
      expect(region.y + region.height).toBeLessThanOrEqual(whole.height);
      expect(region.width).toBeGreaterThanOrEqual(atLeast.width - 1e-3);
      expect(region.height).toBeGreaterThanOrEqual(atLeast.height - 1e-3);
      expect(covers.x).toBeLessThanOrEqual(x + 0.01);
      expect(covers.y).toBeLessThanOrEqual(y + 0.01);
      expect(covers.x + covers.width).toBeGreaterThanOrEqual(x + width - 0.01);
      expect(covers.y + covers.height).toBeGreaterThanOrEqual(y + height - 0.01);
    }
  });

  it("falls on the reduced page's tile grid for a tile request", () => {
    const window = {
      page: 0,
      region: { x: 1024, y: 512, width: 251, height: 512 },
      atLeast: { width: 125.5, height: 256 },
    };
    const { whole, region } = partOf({ width: 1275, height: 1651 }, window, plenty);
    expect(whole).toEqual({ width: 638, height: 826 });
    expect(region).toMatchObject({ x: 512, y: 256, width: 126 });
  });

  it("is enlarged up to eight times, unless that gives too many pixels", () => {
    const region = { x: 0, y: 0, width: 100, height: 50 };
    const window = { page: 0, region, atLeast: { width: 2_000, height: 1_000 } };
    expect(partOf(region, window, plenty).whole).toEqual({ width: 800, height: 400 });
    expect(partOf(region, window, 100_000).whole).toEqual({ width: 100, height: 50 });
  });
});

describe("pages by their sizes in points", () => {
  it("default to Letter size when a page after the first is damaged", () => {
    const pages = pagesOf(Float64Array.of(72, 144, 0, 0, Number.NaN, 5), 100);
    expect(pages.map(({ size }) => [size.width, size.height])).toEqual([
      [100, 200],
      [850, 1100],
      [850, 1100],
    ]);
  });

  it("are rejected when there are none or the first is damaged", () => {
    expect(() => pagesOf(new Float64Array(), 150)).toThrow("it has none");
    expect(() => pagesOf(Float64Array.of(0, 0), 150)).toThrow("Corrupt first page");
  });
});
