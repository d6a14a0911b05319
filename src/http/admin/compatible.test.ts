import { expect, it } from "vitest";
import { durationText } from "./compatible.ts";

it.each([
  [0, "0 seconds"],
  [999, "0 seconds"],
  [1_000, "1 second"],
  [62_000, "1 minute, 2 seconds"],
  [3_600_000, "1 hour"],
  [97_205_000, "1 day, 3 hours, 5 seconds"],
])("formats %i milliseconds as %s", (ms, words) => {
  expect(durationText(ms)).toBe(words);
});
