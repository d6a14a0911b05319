import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServerError } from "./errors.ts";
import {
  encodeSegment,
  identifierSegment,
  type MetaIdentifier,
  parseIdentifier,
  reduceConstraint,
  simplerSegment,
  unconstrained,
  writeIdentifier,
} from "./identifier.ts";

const syntax = { slashSubstitute: "", delimiter: ";" };
const constraint = (numerator: number, denominator: number) => ({ numerator, denominator });

describe("identifiers in URLs", () => {
  it.each<[string, Partial<MetaIdentifier>]>([
    ["map.tif", { identifier: "map.tif" }],
    ["maps%2Fa%20b.tif", { identifier: "maps/a b.tif" }],
    ["a+b", { identifier: "a+b" }],
    ["%E5%9C%B0%E5%9B%B3.tif", { identifier: "地図.tif" }],
    ["%F0%9F%97%BA", { identifier: "🗺" }],
    ["a%252Fb", { identifier: "a%2Fb" }],
    ["a%5Cb", { identifier: "a\\b" }],
    ["..%2Fa", { identifier: "../a" }],
    ["ark:%2F12025%2F654xz321", { identifier: "ark:/12025/654xz321" }],
    ["map.tif;3", { identifier: "map.tif", page: 3 }],
    ["map.tif%3B3", { identifier: "map.tif", page: 3 }],
    ["map.tif;1:2", { identifier: "map.tif", constraint: constraint(1, 2) }],
    ["map.tif;3;2:4", { identifier: "map.tif", page: 3, constraint: constraint(2, 4) }],
    ["a;b.jpg", { identifier: "a;b.jpg" }],
    ["a;b.jpg;2", { identifier: "a;b.jpg", page: 2 }],
    ["a;1:2;3", { identifier: "a;1:2", page: 3 }],
    ["a;2;3", { identifier: "a;2", page: 3 }],
    [";3", { identifier: ";3" }],
    ["map;", { identifier: "map;" }],
    ["map;-1", { identifier: "map;-1" }],
    ["map;1.5", { identifier: "map;1.5" }],
  ])("%s is read as %o", (raw, expected) => {
    expect(parseIdentifier(raw, syntax)).toEqual({
      page: 1,
      constraint: unconstrained,
      ...expected,
    });
  });

  it.each([
    ["", "at least one character"],
    ["%", "percent-encoded UTF-8, got '%'"],
    ["%zz", "percent-encoded UTF-8"],
    ["caf%E9", "percent-encoded UTF-8"],
    ["a%00b", "NUL"],
    ["a;0", "page number from 1 up, got '0'"],
    ["a;99999999999999999999", "page number"],
    ["a;0:2", "1 ≤ n ≤ d, got '0:2'"],
    ["a;3:2", "1 ≤ n ≤ d, got '3:2'"],
    ["a;1:0", "1 ≤ n ≤ d"],
    ["a".repeat(1001), "at most 1000 characters, got 1001"],
  ])("%s is refused as malformed", (raw, message) => {
    const read = () => parseIdentifier(raw, syntax);
    expect(read).toThrow(ServerError);
    expect(read).toThrow(expect.objectContaining({ failure: "malformed" }));
    expect(read).toThrow(message);
  });

  it("may have a thousand characters (code points), without suffixes", () => {
    const identifier = "🗺".repeat(1000);
    const meta = parseIdentifier(`${encodeURIComponent(identifier)};2`, syntax);
    expect(meta).toEqual({ identifier, page: 2, constraint: unconstrained });
  });

  it("takes the delimiter literally", () => {
    const dotted = { slashSubstitute: "", delimiter: "." };
    expect(parseIdentifier("a;3", dotted).page).toBe(1);
    expect(parseIdentifier("ax3", dotted).page).toBe(1);
    expect(parseIdentifier("a.3", dotted)).toMatchObject({ identifier: "a", page: 3 });
    expect(parseIdentifier("a--3", { slashSubstitute: "", delimiter: "--" }).page).toBe(3);
  });

  it("has no page or constraint without a delimiter", () => {
    const bare = { slashSubstitute: "", delimiter: "" };
    expect(parseIdentifier("a;3;1:2", bare).identifier).toBe("a;3;1:2");
    expect(writeIdentifier({ identifier: "a", page: 1, constraint: unconstrained }, "")).toBe("a");
  });

  it("replaces the slash substitute, once decoded", () => {
    const substituted = { slashSubstitute: ":", delimiter: ";" };
    expect(parseIdentifier("a:b%3Ac.tif;2", substituted)).toMatchObject({
      identifier: "a/b/c.tif",
      page: 2,
    });
    const meta = { identifier: "a/b", page: 2, constraint: unconstrained };
    expect(identifierSegment(meta, substituted)).toBe("a:b;2");
  });

  it("are written without page 1 and 1:1", () => {
    const write = (page: number, n: number, d: number) =>
      writeIdentifier({ identifier: "a", page, constraint: constraint(n, d) }, ";");
    expect(write(1, 1, 1)).toBe("a");
    expect(write(1, 3, 3)).toBe("a");
    expect(write(2, 1, 1)).toBe("a;2");
    expect(write(1, 1, 2)).toBe("a;1:2");
    expect(write(2, 1, 2)).toBe("a;2;1:2");
  });

  it("read back as written, even when they end like a page or a constraint", () => {
    const ending = fc.constantFrom("", "a;3", "a;1:2", ";2;2:3", "x;1;", "/;7");
    const meta = fc.record({
      identifier: fc
        .tuple(fc.string({ unit: "grapheme" }), ending)
        .map((parts) => parts.join(""))
        .filter((text) => text !== "" && !text.includes("\0")),
      page: fc.integer({ min: 1, max: 12 }),
      constraint: fc.constantFrom(unconstrained, constraint(1, 2), constraint(3, 7)),
    });
    fc.assert(
      fc.property(meta, (written) => {
        // Page 1 has to be written where its absence would be misread.
        const { first: _, ...read } = parseIdentifier(identifierSegment(written, syntax), syntax);
        expect(read).toEqual(written);
      }),
      { numRuns: 1000 },
    );
  });

  it("distinguish page 1 from no page, which for a video are second 1 and the start", () => {
    expect(parseIdentifier("a", syntax).first).toBeUndefined();
    expect(parseIdentifier("a;2", syntax).first).toBeUndefined();
    const named = parseIdentifier("a;1", syntax);
    expect(named).toMatchObject({ identifier: "a", page: 1, first: true });
    expect(identifierSegment(named, syntax)).toBe("a;1");
  });

  it.each([
    ["ark:/12025/654xz321", "ark:%2F12025%2F654xz321"],
    ["urn:foo:a123,456", "urn:foo:a123,456"],
    [
      "urn:sici:1046-8188(199501)13:1%3C69:FTTHBI%3E2.0.TX;2-4",
      "urn:sici:1046-8188(199501)13:1%253C69:FTTHBI%253E2.0.TX;2-4",
    ],
    ["http://example.com/?54#a", "http:%2F%2Fexample.com%2F%3F54%23a"],
    ["a=b+c$d&e@f[g]", "a=b+c$d&e%40f%5Bg%5D"],
    ["地図 1", "%E5%9C%B0%E5%9B%B3%201"],
  ])("%s is encoded as %s", (text, encoded) => {
    expect(encodeSegment(text)).toBe(encoded);
  });

  it("cannot be encoded with a lone surrogate", () => {
    expect(() => encodeSegment("a\ud800")).toThrow(ServerError);
  });
});

describe("scale constraints", () => {
  it.each([
    [2, 4, 1, 2],
    [6, 9, 2, 3],
    [5, 5, 1, 1],
    [1, 3, 1, 3],
  ])("%i:%i is %i:%i in lowest terms", (n, d, numerator, denominator) => {
    expect(reduceConstraint(constraint(n, d))).toEqual({ numerator, denominator });
  });

  it.each([
    ["a;2:4", "a;1:2"],
    ["a%2Fb;2;3:3", "a%2Fb;2"],
    ["a;1:1", "a"],
    ["a;1;2:4", "a;1;1:2"],
    ["a;01:2", "a;1:2"],
    ["a;1:2", undefined],
    ["a;2", undefined],
    ["a;1", undefined],
    ["a", undefined],
  ])("%s redirects to %s", (raw, simpler) => {
    expect(simplerSegment(raw, syntax)).toBe(simpler);
  });
});
