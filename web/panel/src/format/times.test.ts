import { expect, test } from "vitest";
import { absolute, clock, relative } from "./times.ts";

const now = Date.parse("2026-11-22T12:00:00Z");

test.each([
  [0, "now"],
  [12, "12 s ago"],
  [60, "1 min ago"],
  [3 * 3600 + 59, "3 h ago"],
  [5 * 86_400, "5 d ago"],
  [-90, "in 1 min"],
])("formats %d seconds ago as %s", (seconds, text) => {
  expect(relative(now - seconds * 1000, now).replaceAll("\u202f", " ")).toBe(text);
});

test("formats moments in local time, with all digits", () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
  expect(absolute(at)).toBe("2026-01-02 03:04:05");
  expect(clock(at)).toBe("03:04:05");
});
