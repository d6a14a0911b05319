import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loggedInSum } from "./log-summary.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("frequent events are logged at once, then summed up, until they end", () => {
  const told: unknown[] = [];
  const note = loggedInSum<"one" | "other">((counts) => told.push(counts), 5_000);
  note("one");
  expect(told).toEqual([{ one: 1 }]);
  for (let n = 0; n < 1_000; n++) note("one");
  note("other");
  vi.advanceTimersByTime(4_999);
  expect(told).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(told[1]).toEqual({ one: 1_000, other: 1 });
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
  note("other");
  expect(told[2]).toEqual({ other: 1 });
});
