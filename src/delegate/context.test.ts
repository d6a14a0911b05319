import { expect, test } from "vitest";
import { contextOf } from "./context.ts";

test("all keys are present, whatever is known", () => {
  expect({ ...contextOf({}) }).toEqual({
    client_ip: null,
    cookies: {},
    identifier: null,
    local_uri: null,
    request_uri: null,
    request_headers: {},
    page_number: null,
    scale_constraint: [1, 1],
    full_size: null,
    metadata: null,
    page_count: null,
    operations: null,
    output_format: null,
    resulting_size: null,
  });
});

test("it is read-only, and its inputs stay unchanged", () => {
  const bytes = new Uint8Array([1, 2]);
  const facts = {
    cookies: { a: "b" },
    request_headers: { Host: "h" },
    scale_constraint: [1, 2] as const,
    full_size: { width: 1, height: 2 },
    metadata: { exif: { fields: { MakerNote: bytes, list: [{ a: 1 }] } } },
    operations: [{ class: "Rotate", degrees: 90 }],
  };
  const context = contextOf(facts);
  const isFrozen = (value: unknown): boolean =>
    typeof value !== "object" ||
    value === null ||
    ArrayBuffer.isView(value) ||
    (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  expect(isFrozen(context)).toBe(true);
  expect(context).toMatchObject({ ...facts, cookies: {}, request_headers: {} });
  expect(context.cookies["a"]).toBe("b");
  expect(Object.isFrozen(facts.cookies)).toBe(false);
  const fields = (context.metadata as typeof facts.metadata).exif.fields;
  fields.MakerNote[0] = 9;
  expect(bytes[0]).toBe(1);
  // Metadata is copied once for all requests.
  expect(contextOf(facts).metadata).toBe(context.metadata);
});

test("a cookie or header is present only if it was sent", () => {
  const { cookies, request_headers } = contextOf({ cookies: { a: "b" } });
  expect(cookies["constructor"]).toBeUndefined();
  expect(request_headers["toString"]).toBeUndefined();
});
