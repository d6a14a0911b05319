import { expect, test } from "vitest";
import { entryOf } from "./fixture.ts";
import { type Filter, found } from "./search.ts";

const groups = [
  {
    title: "Limits",
    entries: [
      entryOf("max_pixels", {
        definition: { type: "integer", default: 1, doc: "Most pixels of a picture." },
        value: "400",
        origin: { layer: "runtime" },
      }),
      entryOf("min_tile_size", { waiting: "512" }),
    ],
  },
  { title: "Access", entries: [entryOf("secret", { secret: true, value: "hush" })] },
];

const keys = (text: string, filter: Filter = "all", edits = {}): readonly string[] =>
  found(groups, { text, filter, edits }).flatMap(({ entries }) => entries.map(({ key }) => key));

test.each([
  ["", ["max_pixels", "min_tile_size", "secret"]],
  ["PIXELS picture", ["max_pixels"]],
  ["400", ["max_pixels"]],
  ["limits", ["max_pixels", "min_tile_size"]],
  ["hush", []],
  ["pixels tile", []],
])("finds %j where all of its words occur", (text, expected) => {
  expect(keys(text)).toEqual(expected);
});

test("can show only what is set, edited or pending", () => {
  expect(keys("", "set")).toEqual(["max_pixels"]);
  expect(keys("", "edited", { secret: null })).toEqual(["secret"]);
  expect(keys("", "waiting")).toEqual(["min_tile_size"]);
});

test("omits groups without keys", () => {
  expect(found(groups, { text: "pixels", filter: "all", edits: {} })).toHaveLength(1);
});
