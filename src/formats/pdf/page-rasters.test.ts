import { describe, expect, it } from "vitest";
import { type DrawnPart, type DrawWhole, PageRasters, samples } from "./page-rasters.ts";

const signal = new AbortController().signal;
const whole = { width: 40, height: 30 };
const regions = [
  { x: 0, y: 0, width: 10, height: 10 },
  { x: 30, y: 20, width: 10, height: 10 },
  { x: 5, y: 7, width: 20, height: 3 },
];

/** Every pixel of the page encodes its position. */
const pixelsOf = ({ x, y, width, height }: (typeof regions)[number]): Uint8Array =>
  Uint8Array.from({ length: width * height * samples }, (_, at) => {
    const pixel = Math.floor(at / samples);
    return [x + (pixel % width), y + Math.floor(pixel / width), 7][at % samples] ?? 0;
  });

const drawing = (ms: number, { pictures = false }: { readonly pictures?: boolean } = {}) => {
  const drawn: string[] = [];
  const draw =
    (region: (typeof regions)[number]) =>
    async (way: DrawWhole): Promise<DrawnPart> => {
      const isWhole = way === "always" || (way === "if pictures" && pictures);
      drawn.push(isWhole ? "whole" : "part");
      return { pixels: pixelsOf(isWhole ? { x: 0, y: 0, ...whole } : region), isWhole, ms };
    };
  return { drawn, draw };
};

const all = async (
  rasters: PageRasters,
  draw: ReturnType<typeof drawing>["draw"],
): Promise<void> => {
  const parts = regions.map((region) =>
    rasters.part({ page: "a 0", whole, region }, signal, draw(region)),
  );
  expect(await Promise.all(parts)).toEqual(regions.map(pixelsOf));
};

describe("cached pages", () => {
  it("are rendered once for concurrent and later requests when images make them slow", async () => {
    const { drawn, draw } = drawing(100, { pictures: true });
    const rasters = new PageRasters(100_000);
    await all(rasters, draw);
    await all(rasters, draw);
    expect(drawn).toEqual(["whole"]);
  });

  it("are cached after a part of them was slow", async () => {
    const { drawn, draw } = drawing(100);
    const rasters = new PageRasters(100_000);
    await rasters.part(
      { page: "a 0", whole, region: regions[0] ?? fullRegion },
      signal,
      draw(regions[0] ?? fullRegion),
    );
    await all(rasters, draw);
    await all(rasters, draw);
    expect(drawn).toEqual(["part", "whole"]);
  });

  it("exclude fast pages and pages too large for the cache", async () => {
    const quick = drawing(1);
    await all(new PageRasters(100_000), quick.draw);
    expect(quick.drawn).toEqual(["part", "part", "part"]);
    const large = drawing(100, { pictures: true });
    await all(new PageRasters(10_000), large.draw);
    expect(large.drawn).toEqual(["part", "part", "part"]);
  });
});

const fullRegion = { x: 0, y: 0, ...whole };
