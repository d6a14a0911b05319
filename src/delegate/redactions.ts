import type { AnswerCheck } from "../core/delegate.ts";
import type { Rect } from "../core/geometry.ts";
import { isHash } from "./script/values.ts";

/**
 * Results of `redactions`: rectangles in pixels of the upright page, which may extend beyond it;
 * none is an empty list.
 */
export const redactions: AnswerCheck<readonly Rect[]> = {
  expected: `a list of at most 1000 objects with x, y, width and height (whole numbers; x and y from 0, width and height from 1), or null`,
  read(answer) {
    if (answer === null || answer === undefined) return [];
    if (!Array.isArray(answer) || answer.length > max) return undefined;
    const found: Rect[] = [];
    // Holes of an array count as entries.
    for (const one of answer) {
      const rect = rectOf(one);
      if (rect === undefined) return undefined;
      found.push(rect);
    }
    return found;
  },
};

const max = 1_000;

const rectOf = (value: unknown): Rect | undefined => {
  if (!isHash(value)) return undefined;
  const { x, y, width, height } = value;
  return isWhole(x, 0) && isWhole(y, 0) && isWhole(width, 1) && isWhole(height, 1)
    ? { x, y, width, height }
    : undefined;
};

/** Whether a value is an integer small enough for exact sums. */
const isWhole = (value: unknown, min: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= 2 ** 40;
