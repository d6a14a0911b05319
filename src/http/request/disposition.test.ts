import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentDisposition, InlineNames } from "./disposition.ts";
import { parseQuery, readQuery } from "./query.ts";

const ask = (asked: string): string | undefined => contentDisposition(asked, "a_b.jpg");

it.each([
  ["inline", 'inline; filename="a_b.jpg"'],
  ["inline; filename=evil.exe", 'inline; filename="a_b.jpg"'],
  ["attachment", 'attachment; filename="a_b.jpg"'],
  ["attachment;filename=cats.png", 'attachment; filename="cats.png"'],
  ['attachment; filename="my cats.png"', 'attachment; filename="my cats.png"'],
  ['attachment; filename="../../etc/pass"', 'attachment; filename="etcpass"'],
  ['attachment; filename="a\\"b\r\nX: y"', 'attachment; filename="abX y"'],
  ['attachment; filename=""', 'attachment; filename="a_b.jpg"'],
  [
    "attachment; filename=x.jpg; filename*=UTF-8''d%c3%bcne%20x.jpg",
    "attachment; filename=\"x.jpg\"; filename*=UTF-8''d%C3%BCne%20x.jpg",
  ],
  [
    "attachment; filename*=utf-8''%2e%2e%2fx.jpg",
    "attachment; filename=\"a_b.jpg\"; filename*=UTF-8''x.jpg",
  ],
  ["attachment; filename*=UTF-8''%ff", 'attachment; filename="a_b.jpg"'],
  ["", undefined],
  ["attachmentx", undefined],
  ["form-data; name=x", undefined],
])("%s becomes %s", (asked, expected) => {
  expect(ask(asked)).toBe(expected);
});

it("the header always has a single valid file name, whatever is requested", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom("", "*"), (name, star) => {
      const header =
        ask(`attachment; filename${star}=${star === "" ? "" : "UTF-8''"}${name}`) ?? "";
      expect(header).toMatch(
        /^attachment; filename="[A-Za-z0-9\-._ ]+"(; filename\*=UTF-8''[A-Za-z0-9\-._~!%]+)?$/,
      );
      expect(header).not.toContain("..");
    }),
  );
});

it("splits a query at the first =, uses the first of duplicates, and keeps undecodable values", () => {
  expect([...parseQuery("a=b=c&d&=x&a=z&e=%zz&f=g+h%2B&&")]).toEqual([
    ["a", "b=c"],
    ["d", ""],
    ["e", "%zz"],
    ["f", "g h+"],
  ]);
});

it("uses known argument values and ignores others", () => {
  expect(readQuery("cache=recache&x=1&page=-3")).toEqual({
    caching: "refresh",
    disposition: undefined,
    page: 1,
  });
  expect(
    readQuery(
      "cache=everything&page=1e3&response-content-disposition=attachment%3B%20filename%3Da",
    ),
  ).toEqual({
    caching: "use",
    disposition: "attachment; filename=a",
    page: undefined,
  });
});

describe("inline names", () => {
  const names = new InlineNames();

  it.each([
    ["a.tif", ["0,0,8,8", "8,8", "0", "default.jpg"], "a.tif_0_0_8_8_8_8_0_default.jpg"],
    ["a.tif", ["full", "max", "!90", "gray"], "a.tif_full_max__90_gray.jpg"],
    [
      "b%2F%C3%BC;2",
      ["pct:1.5,2,3,4", "^max", "0", "default.jpg"],
      "b___2_pct_1.5_2_3_4__max_0_default.jpg",
    ],
  ])("of %s with %j", (segment, parameters, expected) => {
    for (let time = 0; time < 2; time++)
      expect(names.of(segment, parameters, ".jpg")).toBe(`inline; filename="${expected}"`);
  });

  it("are left to others where texts have to be decoded, or are long", () => {
    expect(names.of("a", ["full", "%6Dax"], ".jpg")).toBeUndefined();
    expect(names.of("a", ["full", "ü"], ".jpg")).toBeUndefined();
    expect(names.of("a".repeat(600), ["full"], ".jpg")).toBeUndefined();
    for (let length = 900; length < 1_100; length++) {
      const name = names.of("", ["a".repeat(length)], ".jpg");
      if (length < 990) expect(name).toBeDefined();
      if (length > 1_000) expect(name).toBeUndefined();
      if (name !== undefined) expect(name).toBe(`inline; filename="_${"a".repeat(length)}.jpg"`);
    }
  });
});
