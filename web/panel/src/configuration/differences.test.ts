import { expect, test } from "vitest";
import { blank, differences, hidden, reversed } from "./differences.ts";
import { entryOf, reportOf } from "./fixture.ts";

const file = { layer: "file", file: "vitrine.properties", line: 3 } as const;

const report = reportOf(
  entryOf("plain", { value: "old", default: "usual", origin: file }),
  entryOf("unset", { value: "usual", default: "usual" }),
  entryOf("waits", { value: "1", waiting: "2", origin: file }),
  entryOf("password", { value: "******", secret: true, origin: file }),
  entryOf("token", { value: "", secret: true }),
);

test("shows before and after, in the order of the report, without secrets", () => {
  const edits = { password: "hush", waits: "3", plain: "", gone: "x", unset: "new" };
  expect(
    differences(report, edits).map(({ entry, before, after }) => [entry.key, before, after]),
  ).toEqual([
    ["plain", "old", blank],
    ["unset", "usual", "new"],
    ["waits", "2", "3"],
    ["password", hidden, hidden],
  ]);
});

test("marks the default as such", () => {
  const [difference] = differences(report, { plain: null });
  expect(difference).toMatchObject({ before: "old", after: "usual (default)", value: null });
});

test("can revert changes, but not of secrets", () => {
  const edits = { plain: "new", unset: "new", waits: "3", password: "hush", token: "hush" };
  expect(reversed(report, edits)).toEqual({
    edits: { plain: "old", unset: null, waits: "2", token: null },
    lost: ["password"],
  });
});
