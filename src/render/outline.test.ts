import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { infoOf, pageOf } from "../../test/pages.ts";
import { plan as anyPlan } from "../../test/plans.ts";
import type { Rect, Size } from "../core/geometry.ts";
import type { ImageInfo, Level, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { sufficient } from "../formats/tiff/structure/levels.ts";
import type { StoredPage } from "../formats/tiff/structure/pages.ts";
import { costOf } from "./cost.ts";
import { partOf } from "./direct.ts";
import { wantOf, windowOf } from "./geometry.ts";
import { isOutlineSufficient } from "./outline.ts";

const tile = { width: 64, height: 64 };

/** A page of which two levels are known. */
const outlineOf = (page: Page): ImageInfo => {
  const [full, second = full] = page.levels;
  return { ...infoOf({ ...page, levels: [full, second] }), isOutline: true };
};

const planFor = (crop: Rect, size: Size, changes: Partial<Plan> = {}): Plan => ({
  ...anyPlan,
  crop,
  size,
  ...changes,
});

/**
 * The levels as the TIFF decoder reports them: factors are powers of two where rounding explains
 * the difference.
 */
const storedAs = ({ size, levels }: Page): StoredPage => {
  const factor = (full: number, level: number): number => {
    const power = 2 ** Math.round(Math.log2(full / level));
    return Math.abs(full / power - level) < 1 ? power : full / level;
  };
  const stored = levels.map((level) => ({
    ...level,
    factor: {
      width: factor(size.width, level.size.width),
      height: factor(size.height, level.size.height),
    },
  }));
  return stored as unknown as StoredPage;
};

/** Everything in a plan that depends on the levels of a page. */
const decided = (plan: Plan, info: ImageInfo) => {
  const [page] = info.pages;
  return [0, 2].flatMap((apron) =>
    [0, 3].map((reach) => {
      const want = wantOf(plan, page, { apron, reach });
      const window = windowOf(want, page, plan.page);
      const level = sufficient(storedAs(page), window);
      return { want, window, level: level.size, part: partOf(plan, info) };
    }),
  );
};

/** A page with a second level, and smaller ones of any size. */
const anyPyramid: fc.Arbitrary<Page> = fc
  .record({
    width: fc.integer({ min: 150, max: 3_000 }),
    height: fc.integer({ min: 150, max: 3_000 }),
    second: fc.constantFrom(2, 2, 2, 3, 4, 1.5),
    further: fc.array(fc.double({ min: 1, max: 9, noNaN: true }), { maxLength: 4 }),
    up: fc.boolean(),
  })
  .map(({ width, height, second, further, up }) => {
    const round = up ? Math.ceil : Math.floor;
    const level = (by: number): Level => ({
      size: { width: Math.max(1, round(width / by)), height: Math.max(1, round(height / by)) },
      tile,
    });
    const factors = further.map((by) => second * by).sort((one, other) => one - other);
    return pageOf(width, height, {
      levels: [level(1), level(second), ...factors.map(level)],
    });
  });

/** Many crops and sizes, some of them tiles of a grid. */
const anyRequest = fc.record({
  x: fc.nat(40),
  y: fc.nat(40),
  side: fc.constantFrom(1, 2, 3, 16, 64, 128, 500),
  factor: fc.constantFrom(1, 1, 2, 3, 4, 8),
  stretch: fc.constantFrom(1, 1, 1, 1.3, 0.5, 1.9, 2.1),
});

const requested = (
  page: Page,
  asked: typeof anyRequest extends fc.Arbitrary<infer T> ? T : never,
) => {
  const { width, height } = page.size;
  const cell = asked.side * asked.factor;
  const x = (asked.x * cell) % width;
  const y = (asked.y * cell) % height;
  const crop = { x, y, width: Math.min(cell, width - x), height: Math.min(cell, height - y) };
  const by = asked.factor * asked.stretch;
  return planFor(crop, {
    width: Math.max(1, Math.ceil(crop.width / by)),
    height: Math.max(1, Math.ceil(crop.height / by)),
  });
};

describe("an outline", () => {
  test("that suffices for a plan makes further levels irrelevant", () => {
    const seen = { settled: 0, open: 0 };
    fc.assert(
      fc.property(anyPyramid, anyRequest, (page, asked) => {
        const plan = requested(page, asked);
        const outline = outlineOf(page);
        if (!isOutlineSufficient(plan, outline)) {
          seen.open++;
          return;
        }
        seen.settled++;
        expect(decided(plan, outline)).toEqual(decided(plan, infoOf(page)));
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(seen.settled, seen.open)).toBeGreaterThan(300);
  });

  const large = pageOf(4_000, 3_000, {
    levels: [1, 2, 4].map((by) => ({
      size: { width: 4_000 / by, height: 3_000 / by },
      tile,
    })) as unknown as Page["levels"],
  });
  const crop = { x: 512, y: 512, width: 256, height: 256 };

  test.each([
    ["a tile of the largest level", planFor(crop, { width: 256, height: 256 }), true],
    ["a reduction by less than two", planFor(crop, { width: 160, height: 160 }), true],
    ["an enlargement", planFor(crop, { width: 400, height: 400 }), true],
    ["a tile of the second level", planFor(crop, { width: 128, height: 128 }), false],
    ["a small tile", planFor(crop, { width: 32, height: 32 }), false],
    ["another page", planFor(crop, { width: 256, height: 256 }, { page: 1 }), false],
    ["a pixel", planFor({ ...crop, width: 1, height: 1 }, { width: 1, height: 1 }), false],
  ])("suffices for %s: %s", (_, plan, expected) => {
    expect(isOutlineSufficient(plan, outlineOf(large))).toBe(expected);
    expect(isOutlineSufficient(plan, infoOf(large))).toBe(true);
  });

  test("charges a tile at least as much as the complete info would", () => {
    const plan = planFor(crop, { width: 256, height: 256 });
    const known = { maxStreamed: 1_000_000, sourceBytes: 1_000_000 };
    const [one, other] = [
      costOf(plan, outlineOf(large), known),
      costOf(plan, infoOf(large), known),
    ];
    expect(one.pixels).toBe(other.pixels);
    expect(one.bytes).toBeGreaterThanOrEqual(other.bytes);
  });
});
