import { describe, expect, test } from "vitest";
import {
  decision,
  informationKeys,
  metaIdentifier,
  metaIdentifierText,
  sourceName,
  textOrNone,
} from "./answers.ts";
import { httpResource, s3Object } from "./lookups.ts";

describe("a decision", () => {
  const challenge = 'Basic realm="Images"';
  test.each<[unknown, object]>([
    [true, { kind: "allow" }],
    [false, { kind: "deny", status: 403 }],
    [{ status_code: 200 }, { kind: "allow" }],
    [{ status_code: 299, location: null }, { kind: "allow" }],
    [
      { status_code: 401, challenge },
      { kind: "deny", status: 401, challenge },
    ],
    [{ status_code: 403 }, { kind: "deny", status: 403 }],
    [
      { status_code: 599, other: 1 },
      { kind: "deny", status: 599 },
    ],
    [
      { status_code: 303, location: "https://example.org/a?b#c" },
      { kind: "redirect", status: 303, location: "https://example.org/a?b#c" },
    ],
    [
      { status_code: 302, location: "/login" },
      { kind: "redirect", status: 302, location: "/login" },
    ],
    [
      { status_code: 302, scale_numerator: 1, scale_denominator: 2 },
      { kind: "scale", status: 302, numerator: 1, denominator: 2 },
    ],
  ])("accepts %j", (answer, expected) => {
    expect(decision.read(answer)).toEqual(expected);
  });

  test.each([
    [undefined],
    [null],
    ["true"],
    [1],
    [[]],
    [new Map([["status_code", 200]])],
    [{}],
    [{ status_code: "200" }],
    [{ status_code: 199 }],
    [{ status_code: 600 }],
    [{ status_code: 403.5 }],
    // A redirect without a target, and targets without a redirect.
    [{ status_code: 302 }],
    [{ status_code: 200, location: "/a" }],
    [{ status_code: 403, location: "/a" }],
    [{ status_code: 200, scale_numerator: 1, scale_denominator: 2 }],
    [{ status_code: 302, location: "/a", scale_numerator: 1, scale_denominator: 2 }],
    // A challenge without 401, and 401 without one.
    [{ status_code: 401 }],
    [{ status_code: 403, challenge }],
    [{ status_code: 401, challenge: "Basic\r\nSet-Cookie: a=b" }],
    [{ status_code: 401, challenge: "" }],
    [{ status_code: 401, challenge: true }],
    [{ status_code: 401, challenge, location: "/a" }],
    // Targets that do not lead where they seem to.
    [{ status_code: 302, location: "//evil.example" }],
    [{ status_code: 302, location: "/\\evil.example" }],
    [{ status_code: 302, location: "login" }],
    [{ status_code: 302, location: "javascript:alert(1)" }],
    [{ status_code: 302, location: "https://" }],
    [{ status_code: 302, location: "/a\r\nSet-Cookie: a=b" }],
    [{ status_code: 302, location: "" }],
    // Invalid constraints.
    [{ status_code: 302, scale_numerator: 1 }],
    [{ status_code: 302, scale_denominator: 2 }],
    [{ status_code: 302, scale_numerator: 2, scale_denominator: 2 }],
    [{ status_code: 302, scale_numerator: 0, scale_denominator: 2 }],
    [{ status_code: 302, scale_numerator: "1", scale_denominator: "2" }],
    [{ status_code: 302, scale_numerator: 0.5, scale_denominator: 2 }],
  ])("refuses %j", (answer) => {
    expect(decision.read(answer)).toBeUndefined();
  });
});

test("information keys are plain values of bounded size", () => {
  const keys = { attribution: "A", service: [{ "@id": "x" }] };
  expect(informationKeys.read(keys)).toEqual(keys);
  expect(informationKeys.read(null)).toEqual({});
  expect(informationKeys.read(undefined)).toEqual({});
  for (const wrong of [
    [],
    "a",
    1,
    true,
    new Date(0),
    { a: "x".repeat(65_536) },
    { toJSON: () => 1 },
  ])
    expect(informationKeys.read(wrong)).toBeUndefined();
  // Values that cannot be serialised throw, and the caller reports it.
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => informationKeys.read(circle)).toThrow();
});

test("names and texts", () => {
  expect(sourceName.read("FilesystemSource")).toBe("FilesystemSource");
  for (const wrong of ["", " ", null, undefined, 1]) expect(sourceName.read(wrong)).toBeUndefined();
  expect(textOrNone.read("/a")).toBe("/a");
  expect([textOrNone.read(null), textOrNone.read(undefined)]).toEqual([null, null]);
  for (const wrong of ["", 1, false, {}]) expect(textOrNone.read(wrong)).toBeUndefined();
});

test("meta-identifiers", () => {
  expect(metaIdentifier.read({ identifier: "a" })).toEqual({
    identifier: "a",
    page_number: null,
    scale_constraint: null,
  });
  expect(metaIdentifier.read(null)).toBeNull();
  const whole = { identifier: "a", page_number: 2, scale_constraint: [1, 2] };
  expect(metaIdentifier.read(whole)).toEqual(whole);
  for (const wrong of [
    "a",
    {},
    { identifier: "" },
    { identifier: "a", page_number: 0 },
    { identifier: "a", page_number: "1" },
    { identifier: "a", scale_constraint: [2, 1] },
    { identifier: "a", scale_constraint: [1] },
  ])
    expect(metaIdentifier.read(wrong)).toBeUndefined();
});

test("addresses on web servers", () => {
  const uri = "https://example.org/a.tif";
  const plain = { uri, headers: {}, sendHeadRequest: true };
  expect(httpResource.read(uri)).toEqual(plain);
  expect(httpResource.read({ uri, username: null, more: 1 })).toEqual(plain);
  expect(
    httpResource.read({
      uri,
      username: "u",
      secret: "s",
      headers: { "X-A": "b" },
      send_head_request: false,
    }),
  ).toEqual({ uri, username: "u", secret: "s", headers: { "X-A": "b" }, sendHeadRequest: false });
  expect([httpResource.read(null), httpResource.read(undefined)]).toEqual([null, null]);
  for (const wrong of [
    "a.tif",
    "ftp://example.org/a",
    "https://example.org/\r\na",
    "",
    {},
    { uri, username: "u" },
    { uri, secret: "s" },
    { uri, headers: ["a"] },
    { uri, headers: { "a b": "c" } },
    { uri, headers: { a: 1 } },
    { uri, headers: { a: "b\r\nc: d" } },
    { uri, send_head_request: "false" },
  ])
    expect(httpResource.read(wrong), JSON.stringify(wrong)).toBeUndefined();
});

test("objects in S3", () => {
  expect(s3Object.read({ bucket: "b", key: "k", region: null })).toEqual({ bucket: "b", key: "k" });
  expect(
    s3Object.read({
      bucket: "b",
      key: "k",
      endpoint: "https://s3.example.org",
      region: "r",
      access_key_id: "i",
      secret_access_key: "s",
    }),
  ).toEqual({
    bucket: "b",
    key: "k",
    endpoint: "https://s3.example.org",
    region: "r",
    accessKeyId: "i",
    secretAccessKey: "s",
  });
  expect([s3Object.read(null), s3Object.read(undefined)]).toEqual([null, null]);
  for (const wrong of [
    "k",
    { bucket: "b" },
    { key: "k" },
    { bucket: "", key: "k" },
    { bucket: "b", key: 1 },
    { bucket: "b", key: "k", endpoint: "s3.example.org" },
    { bucket: "b", key: "k", access_key_id: "i" },
  ])
    expect(s3Object.read(wrong), JSON.stringify(wrong)).toBeUndefined();
});

test("a meta-identifier's text is valid in a URL", () => {
  expect(metaIdentifierText.read("a/ä;2")).toBe("a/ä;2");
  for (const wrong of [null, "", 1, "a\0", "a\ud800"])
    expect(metaIdentifierText.read(wrong)).toBeUndefined();
});
