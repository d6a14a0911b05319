import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asStored,
  type Orientation,
  type Rect,
  type Size,
  turned,
  upright,
} from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { gridOf, place, wantOf, windowOf } from "./geometry.ts";
import { turnOf, turnRect } from "./turn.ts";

const colour = { bits: 8, model: "rgb", alpha: false, profile: "none" } as const;

const pageOf = (size: Size, orientation: Orientation, levels: number): Page => {
  const level = (n: number) => ({
    size: {
      width: Math.max(1, Math.floor(size.width / 2 ** n)),
      height: Math.max(1, Math.floor(size.height / 2 ** n)),
    },
    tile: { width: 64, height: 64 },
  });
  return {
    size,
    orientation,
    levels: [level(0), ...Array.from({ length: levels - 1 }, (_, n) => level(n + 1))],
    colour,
  };
};

const side = fc.integer({ min: 1, max: 5000 });
const orientation = fc.constantFrom<Orientation>(1, 2, 3, 4, 5, 6, 7, 8);

/** A page, a region of it, and the requested size. */
const request = fc
  .tuple(
    side,
    side,
    orientation,
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 6, maxLength: 6 }),
  )
  .map(([width, height, orientation, levels, parts]) => {
    const page = pageOf({ width, height }, orientation, levels);
    const shown = upright(page.size, orientation);
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = parts;
    const x = Math.floor(a * shown.width);
    const y = Math.floor(b * shown.height);
    const crop: Rect = {
      x,
      y,
      width: 1 + Math.floor(c * (shown.width - x)),
      height: 1 + Math.floor(d * (shown.height - y)),
    };
    const size: Size = {
      width: 1 + Math.floor(e * 1.2 * crop.width),
      height: 1 + Math.floor(f * 1.2 * crop.height),
    };
    return { page, crop, size };
  });

const asked = ({ page, crop, size }: { page: Page; crop: Rect; size: Size }, apron: number) =>
  wantOf(
    {
      identifier: "picture",
      page: 0,
      orientation: page.orientation,
      crop,
      size,
      mirror: false,
      rotation: 0,
      quality: "default",
      format: "png",
    },
    page,
    { apron, reach: 2 },
  );

const holds = (outer: Rect, inner: Rect): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

describe("the window requested from a decoder", () => {
  it("contains the crop, lies in the page and has a minimum size", () => {
    fc.assert(
      fc.property(request, fc.constantFrom(0, 8), (made, apron) => {
        const want = asked(made, apron);
        const { region, atLeast } = windowOf(want, made.page, 0);
        expect(holds(region, asStored(made.crop, made.page.size, made.page.orientation))).toBe(
          true,
        );
        expect(holds({ x: 0, y: 0, ...made.page.size }, region)).toBe(true);
        expect(Math.min(atLeast.width, atLeast.height)).toBeGreaterThan(0);
      }),
    );
  });

  it("is exactly the tile if a level of its factor is stored", () => {
    const page = pageOf({ width: 1001, height: 777 }, 1, 3);
    const crop = { x: 512, y: 256, width: 256, height: 256 };
    const made = { page, crop, size: { width: 128, height: 128 } };
    expect(windowOf(asked(made, 0), page, 0).region).toEqual(crop);
  });
});

describe("a placement", () => {
  it("stays in the raster and results in the requested size", () => {
    fc.assert(
      fc.property(
        request,
        fc.constantFrom(0, 8),
        fc.integer({ min: 0, max: 3 }),
        (made, apron, n) => {
          const want = asked(made, apron);
          const { region } = windowOf(want, made.page, 0);
          const level = made.page.levels[n] ?? made.page.levels[0];
          const factor = 2 ** made.page.levels.indexOf(level);
          // The pixels of the level that show the region, as a tile reader returns them.
          const x = Math.min(level.size.width - 1, Math.floor(region.x / factor));
          const y = Math.min(level.size.height - 1, Math.floor(region.y / factor));
          const right = Math.min(level.size.width, Math.ceil((region.x + region.width) / factor));
          const bottom = Math.min(
            level.size.height,
            Math.ceil((region.y + region.height) / factor),
          );
          const size = { width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
          const covers = {
            x: x * factor,
            y: y * factor,
            width: size.width * factor,
            height: size.height * factor,
          };
          const placed = place(want, { size, covers });
          const cut = placed.cut ?? { x: 0, y: 0, ...size };
          const scaled = placed.scaled ?? { width: cut.width, height: cut.height };
          const window = placed.window ?? { x: 0, y: 0, ...scaled };
          expect(holds({ x: 0, y: 0, ...size }, cut)).toBe(true);
          expect(holds({ x: 0, y: 0, ...scaled }, window)).toBe(true);
          expect(Math.min(window.width, window.height)).toBeGreaterThanOrEqual(1);
          expect({
            width: window.width + placed.missing.width,
            height: window.height + placed.missing.height,
          }).toEqual(placed.size);
          expect(holds({ x: 0, y: 0, ...placed.size }, placed.inner)).toBe(true);
          expect(placed.inner).toMatchObject(want.size);
          if (apron === 0) expect(placed.size).toEqual(want.size);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("uses a level's own pixels for a tile of its factor", () => {
    const page = pageOf({ width: 1001, height: 777 }, 1, 3);
    const made = {
      page,
      crop: { x: 512, y: 0, width: 489, height: 256 },
      size: { width: 245, height: 128 },
    };
    const raster = {
      size: { width: 244, height: 128 },
      covers: { x: 512, y: 0, width: 488, height: 256 },
    };
    expect(place(asked(made, 0), raster)).toMatchObject({
      missing: { width: 1, height: 0 },
      size: { width: 245, height: 128 },
    });
    expect(place(asked(made, 0), raster).scaled).toBeUndefined();
  });

  it("cuts at whole pixels beyond the kernel's reach for an inner region", () => {
    const page = pageOf({ width: 3000, height: 3000 }, 1, 1);
    const made = {
      page,
      crop: { x: 1001, y: 1002, width: 700, height: 700 },
      size: { width: 200, height: 200 },
    };
    const raster = { size: page.size, covers: { x: 0, y: 0, ...page.size } };
    const { cut, scaled, window } = place(asked(made, 0), raster);
    // Two output pixels cover seven stored ones.
    expect(cut).toEqual({ x: 1001 - 7, y: 1002 - 7, width: 714, height: 714 });
    expect(scaled).toEqual({ width: 204, height: 204 });
    expect(window).toEqual({ x: 2, y: 2, width: 200, height: 200 });
  });
});

describe("a tile", () => {
  const page = { width: 1001, height: 777 };

  it("is recognised at every factor, also at the right and bottom edges", () => {
    for (const factor of [1, 2, 3, 4, 8, 16])
      for (let x = 0; x < page.width; x += 128 * factor)
        for (let y = 0; y < page.height; y += 128 * factor) {
          const crop = {
            x,
            y,
            width: Math.min(128 * factor, page.width - x),
            height: Math.min(128 * factor, page.height - y),
          };
          const size = {
            width: Math.ceil(crop.width / factor),
            height: Math.ceil(crop.height / factor),
          };
          const grid = gridOf(crop, size, page);
          // Tiles of few pixels may belong to several grids; only their position matters.
          if (size.width > 16 && size.height > 16) expect(grid?.factor).toBe(factor);
          expect(grid).toBeDefined();
        }
  });

  it("is never enlarged, distorted or off the grid", () => {
    const crop = { x: 256, y: 256, width: 256, height: 256 };
    expect(gridOf(crop, { width: 512, height: 512 }, page)).toBeUndefined();
    expect(gridOf(crop, { width: 128, height: 64 }, page)).toBeUndefined();
    expect(gridOf({ ...crop, x: 255 }, { width: 128, height: 128 }, page)).toBeUndefined();
    expect(gridOf({ ...crop, width: 255 }, { width: 128, height: 128 }, page)).toBeUndefined();
  });
});

describe("rotating", () => {
  it("by the orientation undoes the stored rotation", () => {
    fc.assert(
      fc.property(request, ({ page, crop }) => {
        const stored = asStored(crop, page.size, page.orientation);
        const turn = turnOf({ orientation: page.orientation, mirror: false, rotation: 0 });
        expect(turnRect(stored, page.size, turn)).toEqual(crop);
      }),
    );
  });

  it("keeps the size for half turns, and swaps the sides for quarter turns", () => {
    const size = { width: 300, height: 200 };
    expect(turned(size, 0)).toEqual(size);
    expect(turned(size, 180)).toEqual(size);
    expect(turned(size, 90)).toEqual({ width: 200, height: 300 });
    expect(turned({ width: 100, height: 100 }, 45)).toEqual({ width: 141, height: 141 });
  });
});
