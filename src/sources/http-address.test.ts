import { describe, expect, it } from "vitest";
import { addressOf } from "./http-address.ts";

const prefix = "https://example.org/images/";

describe("the address of an identifier", () => {
  it.each([
    ["maps/a.tif", "https://example.org/images/maps/a.tif"],
    ["a b.tif", "https://example.org/images/a%20b.tif"],
    ["a%20b.tif", "https://example.org/images/a%20b.tif"],
    ["100%.tif", "https://example.org/images/100%25.tif"],
    ["a?b#c.tif", "https://example.org/images/a%3Fb%23c.tif"],
    ["\u00e4/\u6f22.tif", "https://example.org/images/%C3%A4/%E6%BC%A2.tif"],
    ["a\\b.tif", "https://example.org/images/a%5Cb.tif"],
    ["a;v=1,2.tif", "https://example.org/images/a;v=1,2.tif"],
  ])("%s is encoded once", (identifier, address) => {
    expect(addressOf(identifier, { prefix, suffix: "" }).href).toBe(address);
  });

  it("has the suffix literally, and a query's parameters cannot be added to", () => {
    expect(addressOf("a", { prefix, suffix: ".tif?raw=1" }).href).toBe(`${prefix}a.tif?raw=1`);
    const query = { prefix: "https://example.org/get?file=", suffix: "&raw=1" };
    expect(addressOf("a/b&c=d#e", query).href).toBe(
      "https://example.org/get?file=a/b%26c=d%23e&raw=1",
    );
  });

  it("is the identifier without a prefix", () => {
    const address = "https://example.org:8443/a/b%20c.tif?x=1&y=2";
    expect(addressOf(address, { prefix: "", suffix: "" }).href).toBe(address);
  });

  it.each([
    ...["../a", "a/../b", "a/..", "./a", "a//b", "/a", "a/", "", "..\\a", "a\\..\\b", "a/..;x/b"],
    ...["%2e%2e/a", "a/%2E./b", "a/%252e%252e/b", "..%2fa", "..%5ca", "a\u0000b", "a\nb", "\ud800"],
    "%25252525252e%25252525252e/a",
  ])("'%s' is missing below a prefix", (identifier) => {
    expect(() => addressOf(identifier, { prefix, suffix: "" })).toThrow(/no image/);
  });

  it("cannot leave the prefix's origin if that has no slash at its end", () => {
    const slashless = { prefix: "https://example.org", suffix: "" };
    for (const identifier of [".evil.example/a", "@evil.example/a", ":80/a", "0/a"])
      expect(() => addressOf(identifier, slashless)).toThrow(/no image/);
  });

  it.each([
    ...[
      "ftp://example.org/a",
      "file:///etc/passwd",
      "//example.org/a",
      "example.org/a",
      "http:///a",
    ],
    ...[
      "http://user:secret@example.org/a",
      "http://user@example.org/a",
      "http://a\\@example.org/a",
    ],
    ...["http://example.org\\@evil.example/a", "javascript:alert(1)", "http://[fe80::1%25eth0]/a"],
    ...["http://example.org/../a", "http://exa mple.org/a", "http://example.org#@evil.example/"],
  ])("'%s' is missing if identifiers are whole addresses", (identifier) => {
    expect(() => addressOf(identifier, { prefix: "", suffix: "" })).toThrow(/no image/);
  });
});
