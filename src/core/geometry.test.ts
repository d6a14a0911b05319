import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  area,
  asStored,
  asUpright,
  fitArea,
  fitWithin,
  type Orientation,
  round,
  roundDown,
  roundUp,
  turned,
  upright,
} from "./geometry.ts";

const side = fc.integer({ min: 1, max: 100_000 });
const size = fc.record({ width: side, height: side });

describe("rounding", () => {
  it("goes half up, below zero as well", () => {
    expect([0.5, 1.5, 2.5, 124.8, -0.5].map(round)).toEqual([1, 2, 3, 125, 0]);
  });

  it("up and down tolerates floating-point error", () => {
    expect(roundUp(0.1 * 30)).toBe(3);
    expect(roundUp(3.01)).toBe(4);
    expect(roundDown(0.29 * 100)).toBe(29);
    expect(roundDown(28.9)).toBe(28);
  });
});

describe("fitting", () => {
  it.each([
    [
      { width: 300, height: 200 },
      { width: 360, height: 100 },
      { width: 150, height: 100 },
    ],
    [
      { width: 300, height: 200 },
      { width: 150, height: 150 },
      { width: 150, height: 100 },
    ],
    [
      { width: 120, height: 140 },
      { width: 90, height: 999 },
      { width: 90, height: 105 },
    ],
  ])("%o into %o gives %o", (given, box, expected) => {
    expect(fitWithin(given, box)).toEqual(expected);
  });

  it.each([
    [{ width: 6000, height: 4000 }, 4_000_000, { width: 2449, height: 1632 }],
    [{ width: 300, height: 200 }, 1_000_000, { width: 1224, height: 816 }],
    [{ width: 3000, height: 3000 }, 1_000_000, { width: 1000, height: 1000 }],
    [{ width: 100_000, height: 3 }, 10_000, { width: 10_000, height: 1 }],
  ])("%o to %i pixels gives %o", (given, pixels, expected) => {
    expect(fitArea(given, pixels)).toEqual(expected);
  });

  it("to a number of pixels never exceeds it and keeps each side at least one", () => {
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 50_000_000 }), (given, pixels) => {
        const fitted = fitArea(given, pixels);
        expect(area(fitted)).toBeLessThanOrEqual(pixels);
        expect(Math.min(fitted.width, fitted.height)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it("inside a box never exceeds it by more than rounding does", () => {
    fc.assert(
      fc.property(size, size, (given, box) => {
        const fitted = fitWithin(given, box);
        expect(fitted.width).toBeLessThanOrEqual(box.width);
        expect(fitted.height).toBeLessThanOrEqual(box.height);
      }),
    );
  });
});

describe("turning", () => {
  it.each([
    [0, 90, 105],
    [90, 105, 90],
    [180, 90, 105],
    [270, 105, 90],
    [345, 114, 125],
  ])("a 90x105 image by %i degrees needs %ix%i", (degrees, width, height) => {
    expect(turned({ width: 90, height: 105 }, degrees)).toEqual({ width, height });
  });
});

describe("a rectangle of the upright page", () => {
  const corner = { x: 0, y: 0, width: 10, height: 20 };
  it.each<[Orientation, number, number]>([
    [1, 0, 0],
    [2, 290, 0],
    [3, 290, 180],
    [4, 0, 180],
    [5, 0, 0],
    [6, 0, 190],
    [7, 280, 190],
    [8, 280, 0],
  ])("at the top left is in the stored page of orientation %i at %i,%i", (orientation, x, y) => {
    expect(asStored(corner, { width: 300, height: 200 }, orientation)).toMatchObject({ x, y });
  });

  it("is within the stored page, whatever the orientation", () => {
    const orientation = fc.integer({ min: 1, max: 8 }) as fc.Arbitrary<Orientation>;
    fc.assert(
      fc.property(size, orientation, fc.nat(), fc.nat(), (stored, how, a, b) => {
        const page = upright(stored, how);
        const x = a % page.width;
        const y = b % page.height;
        const rect = { x, y, width: page.width - x, height: page.height - y };
        const inner = asStored(rect, stored, how);
        expect(area(inner)).toBe(area(rect));
        expect(asUpright(inner, stored, how)).toEqual(rect);
        expect(Math.min(inner.x, inner.y)).toBeGreaterThanOrEqual(0);
        expect(inner.x + inner.width).toBeLessThanOrEqual(stored.width);
        expect(inner.y + inner.height).toBeLessThanOrEqual(stored.height);
      }),
    );
  });
});
