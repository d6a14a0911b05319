import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { latency, percentile } from "./statistics.ts";

describe("percentile", () => {
  it("is the nearest rank", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(percentile(hundred, 50)).toBe(50);
    expect(percentile(hundred, 95)).toBe(95);
    expect(percentile(hundred, 99)).toBe(99);
    expect(percentile(hundred, 100)).toBe(100);
    expect(percentile([15, 20, 35, 40, 50], 40)).toBe(20);
  });

  it("of one value is that value", () => {
    expect(percentile([7], 1)).toBe(7);
    expect(percentile([7], 99)).toBe(7);
  });

  it("has at least its share of the values at or below it, and too few below the next smaller", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 100 }),
        (values, share) => {
          const sorted = values.toSorted((a, b) => a - b);
          const value = percentile(sorted, share);
          const upTo = sorted.filter((other) => other <= value).length;
          const below = sorted.filter((other) => other < value).length;
          expect(upTo * 100).toBeGreaterThanOrEqual(share * sorted.length);
          expect(below * 100).toBeLessThan(share * sorted.length);
        },
      ),
    );
  });
});

describe("latency", () => {
  it("does not mind the order the times came in", () => {
    expect(latency([3, 1, 2])).toEqual({ mean: 2, p50: 2, p95: 3, p99: 3, max: 3 });
  });

  it("sorts by number, not by spelling", () => {
    expect(latency([100, 9, 20]).p50).toBe(20);
  });

  it("of nothing is zero", () => {
    expect(latency([])).toEqual({ mean: 0, p50: 0, p95: 0, p99: 0, max: 0 });
  });
});
