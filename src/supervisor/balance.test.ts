import { expect, it } from "vitest";
import { surplusOf } from "./balance.ts";

it("moves connections away from workers that have more than their share", () => {
  expect(surplusOf([8, 0])).toEqual([4, 0]);
  expect(surplusOf([0, 9])).toEqual([0, 4]);
  expect(surplusOf([2, 2, 0])).toEqual([0, 1, 0]);
  expect(surplusOf([5, 5, 5, 0])).toEqual([1, 1, 1, 0]);
  expect(surplusOf([400, 100])).toEqual([150, 0]);
});

it("leaves small differences alone", () => {
  for (const open of [[], [3], [0, 0], [5, 4], [1, 0, 0], [100, 80], [10, 8]])
    expect(surplusOf(open)).toEqual(open.map(() => 0));
});

it("leaves no worker with more than its share", () => {
  for (const open of [
    [7, 1, 0],
    [3, 30, 300],
    [12, 12, 1, 1, 1],
  ]) {
    const left = open.map((count, at) => count - (surplusOf(open)[at] ?? 0));
    const share = open.reduce((sum, count) => sum + count, 0) / open.length;
    expect(Math.max(...left)).toBeLessThanOrEqual(Math.ceil(share));
    expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
  }
});
