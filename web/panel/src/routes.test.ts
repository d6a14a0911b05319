import { expect, test } from "vitest";
import { hashOf, parseRoute, sections } from "./routes.ts";

test("finds every section by its hash, with its parameter", () => {
  for (const section of sections)
    expect(parseRoute(hashOf(section))).toEqual({ section, detail: "" });
  const detail = "maps/a b;2%?#ü.tif";
  expect(parseRoute(hashOf("images", detail))).toEqual({ section: "images", detail });
});

test.each(["", "#", "#/", "#/nowhere", "#/nowhere/else", "#overview!"])(
  "shows the first section for %j",
  (hash) => {
    expect(parseRoute(hash)).toEqual({ section: "overview", detail: "" });
  },
);

test("ignores invalid escapes", () => {
  expect(parseRoute("#/images/%E0%A4%A")).toEqual({ section: "images", detail: "" });
});
