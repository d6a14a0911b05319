import fc from "fast-check";
import { expect, it } from "vitest";
import { contentDisposition } from "./disposition.ts";
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
