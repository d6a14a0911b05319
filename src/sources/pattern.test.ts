import { describe, expect, it } from "vitest";
import { readPattern, readTemplate } from "./pattern.ts";

const rewrite = (pattern: string, template: string, text: string): string | undefined => {
  const read = readPattern(pattern);
  const match = read.find(text);
  return match && readTemplate(template, read.groups)(match);
};

describe("a pattern", () => {
  it.each([
    ["^maps/(.+)$", "$1", "maps/a/b.tif", "a/b.tif"],
    ["^maps/", "$0", "maps/a.tif", "maps/"],
    ["^(?P<year>\\d{4})-(.+)", "$<year>/$2", "1900-ü 画.tif", "1900/ü 画.tif"],
    ["^(a)(b)?", "[$2]$$1", "a", "[]$1"],
    ["(?i)\\.TIFF?$", "$<0>x", "a.tif", ".tifx"],
    ["^b", "$0", "ab", undefined],
    ["^.+$", "$0", "$1$$", "$1$$"],
  ])("%s, as %s, rewrites %s to %s", (pattern, template, text, expected) => {
    expect(rewrite(pattern, template, text)).toBe(expected);
  });

  it.each(["(?=a)", "(a)\\1", "(a", "a{2000}", "x".repeat(1_001)])("is rejected: %s", (text) => {
    expect(() => readPattern(text)).toThrow(/^expected a (?:regular expression|pattern)/);
  });

  it.each(["$2", "$<name>", "$", "a$b", "$<a"])("has no group for %s", (template) => {
    const { groups } = readPattern("^(a)");
    expect(() => readTemplate(template, groups)).toThrow(/no group|after each dollar sign/);
  });

  it("takes time linear in the text, however it is nested", () => {
    const hostile = readPattern("^(a+)+$");
    const text = `${"a".repeat(20_000)}!`;
    // A backtracking engine would take longer than the age of the universe.
    expect(hostile.find(text)).toBeUndefined();
    expect(readPattern("(x+x+)+y").find("x".repeat(20_000))).toBeUndefined();
  });
});
