import { expect, test } from "vitest";
import {
  bytes,
  count,
  duration,
  milliseconds,
  percent,
  perSecond,
  plural,
  short,
} from "./numbers.ts";

/** Replaces narrow spaces by plain ones for readability. */
const plain = (text: string): string => text.replaceAll("\u202f", " ");

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1 000"],
  [1234567.4, "1 234 567"],
])("groups the digits of %d", (value, text) => {
  expect(plain(count(value))).toBe(text);
});

test.each([
  [0, "0"],
  [0.042, "0.04"],
  [3.25, "3.3"],
  [48, "48"],
  [99.96, "100"],
  [12345, "12 345"],
])("rounds %d to readable digits", (value, text) => {
  expect(plain(short(value))).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1 023 B"],
  [1024, "1 KiB"],
  [1.5 * 1024 ** 3, "1.5 GiB"],
  [2 ** 80, "1 073 741 824 PiB"],
])("formats %d bytes in powers of 1024", (value, text) => {
  expect(plain(bytes(value))).toBe(text);
});

test.each([
  [0, "0 %"],
  [0.034, "3.4 %"],
  [0.5, "50 %"],
  [0.9931, "99.3 %"],
  [0.99999, "99.9 %"],
  [1, "100 %"],
])("formats the share %d in percent, and only all of it as 100 %%", (part, text) => {
  expect(plain(percent(part))).toBe(text);
});

test.each([
  [0.82, "0.82 ms"],
  [250, "250 ms"],
  [1340, "1.3 s"],
])("formats %d milliseconds", (value, text) => {
  expect(plain(milliseconds(value))).toBe(text);
});

test.each([
  [0, "0 s"],
  [59_000, "59 s"],
  [60_000, "1 min"],
  [3_725_000, "1 h 2 min"],
  [86_400_000 * 3 + 3_600_000 * 4 + 60_000, "3 d 4 h"],
  [-5, "0 s"],
])("formats a time of %d ms by its two largest units", (ms, text) => {
  expect(plain(duration(ms))).toBe(text);
});

test("adds units to rates, and words to numbers", () => {
  expect(plain(perSecond(12.44))).toBe("12.4 /s");
  expect(plural(1, "change")).toBe("1 change");
  expect(plural(3, "entry", "entries")).toBe("3 entries");
});
