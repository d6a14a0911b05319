import { describe, expect, it } from "vitest";
import { compare } from "./comparison.ts";

const result = (perSecond: number, p95: number, peak?: number) => ({
  perSecond,
  milliseconds: { p95 },
  ...(peak === undefined ? {} : { memory: { peak } }),
});

describe("comparing two results", () => {
  it("calls fewer requests per second worse, and longer waits and more memory too", () => {
    const rows = compare(result(200, 10, 100), result(100, 20, 150));
    expect(rows.map(({ figure, ratio, worse }) => [figure, ratio, worse])).toEqual([
      ["requests per second", 0.5, 1],
      ["p95 (ms)", 2, 1],
      ["peak memory (bytes)", 1.5, 0.5],
    ]);
  });

  it("calls more requests per second better", () => {
    const [row] = compare(result(100, 10), result(200, 10));
    expect(row?.worse).toBe(-0.5);
  });

  it("leaves out what one of them did not measure", () => {
    const figures = compare(result(100, 10), result(100, 10, 5)).map(({ figure }) => figure);
    expect(figures).not.toContain("peak memory (bytes)");
    expect(compare(undefined, "nonsense")).toEqual([]);
  });
});
