import { expect, it } from "vitest";
import { chart, slopeOf } from "./trend.ts";

const at = (...values: number[]) => values.map((value, n) => ({ seconds: n * 5, value }));

it("tells by how much something rises", () => {
  expect(slopeOf(at(10, 20, 30))).toBeCloseTo(2);
  expect(slopeOf(at(10, 0, 10, 0, 10))).toBeCloseTo(0);
  expect(slopeOf(at(30, 20))).toBeCloseTo(-2);
  expect([slopeOf([]), slopeOf(at(7))]).toEqual([0, 0]);
});

it("draws columns from 0 to the top", () => {
  expect(chart(at(0, 50, 100), { rows: 2, columns: 3, top: 100 }).split("\n")).toEqual([
    "    100 |  #",
    "     50 | ##",
    "      0 +--- 10 s",
  ]);
});
