import { expect, test } from "vitest";
import { withOpacity } from "./opacity.ts";

const colours = Uint8Array.of(10, 20, 30, 100, 50, 0, 7, 8, 9);
const pixels = (opacity: readonly number[], limited: boolean, premultiplied: boolean): number[] => [
  ...withOpacity(colours, Uint8Array.from(opacity), { limited, premultiplied }),
];

test("full-range alpha is appended to each pixel's colours", () => {
  expect(pixels([255, 128, 0], false, false)).toEqual([
    10, 20, 30, 255, 100, 50, 0, 128, 7, 8, 9, 0,
  ]);
});

test("limited-range alpha is expanded and clamped", () => {
  const alphas = pixels([235, 16, 126], true, false).filter((_, at) => at % 4 === 3);
  expect(alphas).toEqual([255, 0, 128]);
  expect(pixels([255, 0, 16], true, false).filter((_, at) => at % 4 === 3)).toEqual([255, 0, 0]);
});

test("premultiplied colours are divided by alpha and clamped", () => {
  expect(pixels([255, 51, 0], false, true)).toEqual([10, 20, 30, 255, 255, 250, 0, 51, 7, 8, 9, 0]);
});
