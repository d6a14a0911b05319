import { expect, test } from "vitest";
import { HeaderBits } from "./header-bits.ts";

const begun = (...bytes: number[]): HeaderBits => {
  const bits = new HeaderBits();
  bits.start(Uint8Array.from(bytes));
  return bits;
};

test("a byte of 255 is followed by seven bits", () => {
  const bits = begun(0xff, 0x7f, 0xff);
  expect(bits.bits(8)).toBe(255);
  expect(bits.bits(7)).toBe(127);
  expect(bits.used).toBe(2);
  expect(bits.bits(8)).toBe(255);
});

test("a header whose last byte is 255 ends after the stuffed byte", () => {
  const bits = begun(0xff, 0, 1);
  bits.bits(8);
  bits.end();
  expect([bits.used, bits.isPast]).toEqual([2, false]);
});

test("a header that ends within a byte of 255 ends there, too", () => {
  const bits = begun(0xff, 0, 1);
  bits.bits(3);
  bits.end();
  expect(bits.used).toBe(2);
});

test("a header with any other last byte ends after it", () => {
  const bits = begun(0xfe, 0, 1);
  bits.bits(3);
  bits.end();
  expect(bits.used).toBe(1);
});

test("the stuffing after 255 is required", () => {
  const bits = begun(0xff);
  bits.bits(8);
  expect(bits.isPast).toBe(false);
  bits.end();
  expect(bits.isPast).toBe(true);
});

test("a byte of 255 before the header has no effect", () => {
  const bits = begun(0xff);
  bits.bits(8);
  bits.start(Uint8Array.from([0x80]));
  expect(bits.bits(8)).toBe(128);
});
