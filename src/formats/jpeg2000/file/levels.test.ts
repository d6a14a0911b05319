import { describe, expect, it } from "vitest";
import type { Rect } from "../../../core/geometry.ts";
import type { CodestreamHeader } from "../codestream/contract.ts";
import { cutOf, levelRegion, levelsOf } from "./levels.ts";

const header = (image: Rect, changes: Partial<CodestreamHeader> = {}): CodestreamHeader => ({
  image,
  tiles: image,
  columns: 1,
  rows: 1,
  components: [{ precision: 8, signed: false, dx: 1, dy: 1 }],
  levels: 5,
  layers: 1,
  progression: "LRCP",
  reversible: true,
  transformed: false,
  ht: false,
  precinct: { width: 32_768, height: 32_768 },
  block: { width: 64, height: 64 },
  capabilities: 0,
  ...changes,
});

const widths = (of: CodestreamHeader) => levelsOf(of).map(({ size }) => size.width);

describe("the levels of a codestream", () => {
  it("are rounded up, or according to the image's origin", () => {
    expect(widths(header({ x: 0, y: 0, width: 100, height: 100 }))).toEqual([
      100, 50, 25, 13, 7, 4,
    ]);
    expect(widths(header({ x: 1, y: 1, width: 100, height: 100 }))).toEqual([
      100, 50, 25, 12, 6, 3,
    ]);
  });

  it("end where there is no pixel, or no sample of a component", () => {
    expect(widths(header({ x: 1, y: 0, width: 2, height: 9 }))).toEqual([2, 1]);
    const coarse = { precision: 8, signed: false, dx: 4, dy: 1 };
    const uneven = header({ x: 1, y: 0, width: 12, height: 99 }, { components: [coarse] });
    // Its samples are at 4, 8 and 12; halved at 8; halved again at none before 16.
    expect(widths(uneven)).toEqual([12, 6]);
  });

  it.each([
    ["tiles", { columns: 9, rows: 9, tiles: { x: 0, y: 0, width: 256, height: 128 } }, [256, 128]],
    ["precincts", { precinct: { width: 256, height: 1_024 } }, [256, 1_024]],
    ["parts of 512", { precinct: { width: 128, height: 32_768 } }, [512, 512]],
    [
      "parts of 512 of large tiles",
      { columns: 2, rows: 2, tiles: { x: 0, y: 0, width: 4_096, height: 100 } },
      [512, 512],
    ],
  ])("are best read in %s", (_, changes, [width, height]) => {
    const image = { x: 0, y: 0, width: 5_000, height: 5_000 };
    const [full, half] = levelsOf(header(image, changes));
    expect(full.tile).toEqual({ width, height });
    const isTile = "columns" in changes && width !== 512;
    expect(half?.tile.width).toBe(isTile ? (width ?? 0) / 2 : width);
  });
});

describe("a cut", () => {
  const components = [
    { precision: 8, signed: false, dx: 1, dy: 1 },
    { precision: 8, signed: false, dx: 2, dy: 3 },
    { precision: 8, signed: false, dx: 5, dy: 1 },
  ];

  const regionsOf = (side: number): Rect[] =>
    Array.from({ length: side }, (_, from) =>
      [1, 2, side - from]
        .filter((length) => from + length <= side)
        .map((length) => ({ x: from, y: from, width: length, height: length })),
    ).flat();

  it.each([0, 1, 3, 8].flatMap((x) => [40, 41, 67].map((width) => [x, width] as const)))(
    "has a sample of every component for every pixel, from %i on, %i wide",
    (x, width) => {
      const of = header({ x, y: x, width, height: width }, { components });
      for (const level of levelsOf(of))
        for (const region of regionsOf(level.size.width)) {
          const { region: grid, pixels } = cutOf(of, level, region);
          expect(grid.x).toBeGreaterThanOrEqual(0);
          expect(grid.x + grid.width).toBeLessThanOrEqual(width);
          for (const { dx } of components) {
            const sampleAt = (place: number) =>
              Math.ceil(Math.ceil((x + place) / dx) / 2 ** level.reduce);
            const standsFor = (pixel: number) =>
              Math.max(sampleAt(0), Math.min(sampleAt(width) - 1, Math.floor(pixel / dx)));
            expect(sampleAt(grid.x)).toBeLessThanOrEqual(standsFor(pixels.x));
            const last = standsFor(pixels.x + region.width - 1);
            expect(sampleAt(grid.x + grid.width)).toBeGreaterThan(last);
          }
        }
    },
  );

  it("covers the pixels that show a region, at least one", () => {
    const [full, , quarter] = levelsOf(header({ x: 0, y: 0, width: 101, height: 50 }));
    const region = { x: 97, y: 3, width: 4, height: 6 };
    expect(levelRegion(full, region)).toEqual(region);
    if (quarter === undefined) throw new Error("Expected a third level");
    expect(levelRegion(quarter, region)).toEqual({ x: 24, y: 0, width: 2, height: 3 });
    const corner = { x: 100, y: 49, width: 1, height: 1 };
    expect(levelRegion(quarter, corner)).toEqual({ x: 25, y: 12, width: 1, height: 1 });
  });
});
