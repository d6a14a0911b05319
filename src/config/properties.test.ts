import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asRead, formatProperties, parseProperties, withEntry, withValue } from "./properties.ts";

const readBack = (text: string, key: string) => parseProperties(text).settings.get(key)?.value;

describe("a file in Cantaloupe's syntax", () => {
  test.each([
    ["a=1", "a", "1"],
    ["  a  =  1  ", "a", "1"],
    ["a = b = c", "a", "b = c"],
    ["a: 1", "a", "1"],
    ["a:b = 1", "a:b", "1"],
    ["url = http://host:80/", "url", "http://host:80/"],
    ["a =", "a", ""],
    ["a = x # no comment", "a", "x # no comment"],
    ["path = C:\\\\pictures\\\\\\maps", "path", "C:\\pictures\\maps"],
    ["text = one\\ntwo", "text", "one\\ntwo"],
    ["a = \\u00e9", "a", "\\u00e9"],
    ["a = über Größe 図", "a", "über Größe 図"],
    ["\uFEFFa = 1", "a", "1"],
    ["a = 1\r\nb = 2\r\n", "b", "2"],
    ["a = 1\rb = 2", "b", "2"],
    ["a = first\na = second", "a", "first"],
    ["a =\na = second\na = third", "a", "second"],
  ])("%j sets %s to %j", (text, key, value) => {
    expect(readBack(text, key)).toBe(value);
  });

  test.each(["# a = 1", "! a = 1", "   # a = 1", "", "   "])(
    "%j sets nothing and is well formed",
    (text) => {
      const { settings, malformed } = parseProperties(text);
      expect([settings.size, malformed]).toEqual([0, []]);
    },
  );

  test("a malformed line is skipped and reported by its number", () => {
    const { settings, malformed } = parseProperties("a = 1\nnonsense\n= 2\n: 3\nb = 4");
    expect(malformed).toEqual([2, 3, 4]);
    expect([...settings.keys()]).toEqual(["a", "b"]);
  });

  test("a setting knows its line and its lines without effect", () => {
    const { settings } = parseProperties("#\na =\n\na = x\na = y\n");
    expect(settings.get("a")).toEqual({ value: "x", line: 4, ignored: [2, 5] });
  });

  test("any text is read without failing and written back byte for byte", () => {
    const text = fc.array(
      fc.oneof(fc.string(), fc.constantFrom("\n", "\r\n", "\r", "=", ":", "#a", "a=")),
    );
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join("");
        expect(formatProperties(parseProperties(whole))).toBe(whole);
      }),
    );
  });
});

describe("an edited file", () => {
  test.each([
    ["a=1", "2", "a=2"],
    ["  a  =  1  ", "2", "  a  =  2  "],
    ["a: 1", "2", "a: 2"],
    ["a: 1", "x=y", "a= x=y"],
    ["a =", "2", "a = 2"],
    ["a=", "2", "a=2"],
    ["a = ", "2", "a = 2"],
    ["a = 1", "", "a = "],
    ["a =\na = 1", "2", "a = 2\na = 1"],
    ["a = 1\na = 2", "", "a = \na = "],
    ["# head\r\na = 1\r\n\r\n! tail", "2", "# head\r\na = 2\r\n\r\n! tail"],
  ])("%j with a set to %j is %j", (text, value, changed) => {
    const properties = withValue(parseProperties(text), "a", value);
    expect(formatProperties(properties)).toBe(changed);
    expect(properties.settings.get("a")?.value).toBe(value);
  });

  test.each([
    ["", "a = 1\n"],
    ["b = 2", "b = 2\na = 1\n"],
    ["b = 2\r\n", "b = 2\r\na = 1\r\n"],
  ])("%j with an entry added is %j", (text, added) => {
    expect(formatProperties(withEntry(parseProperties(text), "a", "1"))).toBe(added);
  });

  test("reads back as set, and every other line keeps its bytes", () => {
    const word = fc.stringMatching(/^[a-z.]{1,6}$/);
    const line = fc.oneof(
      fc
        .tuple(word, fc.constantFrom("=", " = ", ":", ": ", "\t=\t"), fc.string())
        .map((parts) => parts.join("").replace(/[\r\n]/g, "")),
      fc.constantFrom("", "# note", "  ! note", "nonsense"),
    );
    const file = fc.array(line, { minLength: 1 }).map((lines) => ["key : 1", ...lines].join("\n"));
    const value = fc.string({ minLength: 1 }).map((text) => asRead(text.replace(/[\r\n]/g, "")));
    fc.assert(
      fc.property(file, value, (text, wanted) => {
        const changed = formatProperties(withValue(parseProperties(text), "key", wanted));
        if (wanted !== "") expect(readBack(changed, "key")).toBe(wanted);
        const others = (whole: string) =>
          whole
            .split("\n")
            .filter((_, index) => parseProperties(text).settings.get("key")?.line !== index + 1);
        if (wanted !== "") expect(others(changed)).toEqual(others(text));
      }),
    );
  });
});
