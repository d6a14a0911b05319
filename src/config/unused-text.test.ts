import { expect, test } from "vitest";
import { unusedText } from "./unused-text.ts";

const unused = (remark: string, ...keys: string[]) => keys.map((key) => ({ key, remark }));

test("each reason is given once, with its keys", () => {
  expect(
    unusedText([...unused("No.", "a"), ...unused("Not yet.", "b"), ...unused("No.", "c")], []),
  ).toEqual(["No.", "  a, c", "Not yet.", "  b"]);
});

test("keys are grouped under the shortest prefix that only they have", () => {
  const keys = unused(
    "No.",
    "S3.a",
    "S3.b",
    "S3.c.d",
    "log.x.host",
    "log.x.port",
    "log.x.facility",
  );
  expect(unusedText(keys, ["log.level"])).toEqual(["No.", "  S3.* (3), log.x.* (3)"]);
});

test("a prefix shared with an effective key is never used", () => {
  const keys = unused("No.", "Heap.persist", "Heap.a", "Heap.b", "Heap.persist.path");
  expect(unusedText(keys, ["Heap.size"])).toEqual([
    "No.",
    "  Heap.persist, Heap.a, Heap.b, Heap.persist.path",
  ]);
});

test("many keys are wrapped over several lines", () => {
  const keys = unused("No.", ...Array.from({ length: 30 }, (_, index) => `key${index}`));
  const lines = unusedText(keys, []);
  expect(lines.every((line) => line.length <= 100)).toBe(true);
  expect(lines.slice(1).join(", ").split(/,\s+/)).toHaveLength(30);
});
