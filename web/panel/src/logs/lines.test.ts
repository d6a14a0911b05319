import { expect, test } from "vitest";
import type { LogEntry } from "../server/wire.ts";
import { fieldsText, maxLines, merged, queryText } from "./lines.ts";

const query = { level: "info", text: "" } as const;

const lines = (from: number, to: number): readonly LogEntry[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({
    number: from + at,
    time: "2026-11-22T00:00:00.000Z",
    level: "info" as const,
    message: "Something",
    fields: {},
  }));

test("appends newer lines, each once", () => {
  const first = merged(undefined, { entries: lines(1, 3), last: 3 }, query);
  const second = merged(first, { entries: lines(2, 5), last: 9 }, query);
  expect(second.entries.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(second.last).toBe(9);
});

test("leaves the list unchanged without newer lines", () => {
  const first = merged(undefined, { entries: lines(1, 3), last: 3 }, query);
  expect(merged(first, { entries: [], last: 7 }, query).entries).toBe(first.entries);
});

test("keeps a limited number of lines, the latest", () => {
  const first = merged(undefined, { entries: lines(1, maxLines), last: maxLines }, query);
  const next = merged(
    first,
    { entries: lines(maxLines + 1, maxLines + 5), last: maxLines + 5 },
    query,
  );
  expect(next.entries).toHaveLength(maxLines);
  expect(next.entries.at(-1)?.number).toBe(maxLines + 5);
});

test("restarts counting when the server has", () => {
  const before = merged(undefined, { entries: lines(98, 100), last: 100 }, query);
  const restarted = merged(before, { entries: [], last: 4 }, query);
  expect(restarted.last).toBe(0);
  const after = merged(restarted, { entries: lines(1, 4), last: 4 }, query);
  expect(after.entries.map(({ number }) => number)).toEqual([98, 99, 100, 1, 2, 3, 4]);
});

test("requests newer lines, and a text only if there is one", () => {
  expect(queryText(query, undefined)).toBe("level=info&limit=500");
  expect(queryText({ level: "warn", text: " a&b " }, 12)).toBe(
    "level=warn&limit=500&text=a%26b&after=12",
  );
});

test("formats fields on one line, the worker separately, errors by their message, and truncates long ones", () => {
  const text = fieldsText({
    worker: 2,
    identifier: "a.tif",
    error: { message: "No such\nfile", stack: "at …" },
    nothing: null,
    long: "x".repeat(500),
  });
  expect(text).toBe(`identifier=a.tif error=No such file nothing=null long=${"x".repeat(120)}…`);
});
