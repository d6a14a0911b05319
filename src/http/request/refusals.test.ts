import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Busy } from "../../core/busy.ts";
import { type LogFields, silent } from "../../core/log.ts";
import { refusals } from "./refusals.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const said = () => {
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const note = refusals({ ...silent, warn: (message, fields) => lines.push([message, fields]) });
  return { lines, note };
};

const busy = (lane: "small" | "large", waiting: number, expectedMs: number): Busy =>
  new Busy("busy", { lane, waiting, expectedMs });

it("logs the first refusal at once and those that follow in a single line", () => {
  const { lines, note } = said();
  note(busy("small", 3, 1_500));
  expect(lines).toEqual([
    [
      expect.stringContaining("A request was refused"),
      { small: { refused: 1, waiting: 3, seconds: 2 } },
    ],
  ]);
  for (let n = 0; n < 1_000; n++) note(busy("small", n, n));
  note(busy("large", 2, 30_000));
  expect(lines).toHaveLength(1);
  vi.advanceTimersByTime(5_000);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toEqual([
    expect.stringContaining("1001 requests were refused"),
    {
      small: { refused: 1_000, waiting: 999, seconds: 1 },
      large: { refused: 1, waiting: 2, seconds: 30 },
    },
  ]);
});

it("stays silent without refusals, and starts over afterwards", () => {
  const { lines, note } = said();
  note(busy("large", 0, 0));
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
  note(busy("large", 0, 0));
  expect(lines).toHaveLength(2);
});
