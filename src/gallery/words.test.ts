import { expect, test } from "vitest";
import { fold, wordsOf } from "./words.ts";

test.each([
  ["Éclair", "eclair"],
  ["Straße", "strasse"],
  ["SØREN ŁÓDŹ Œuvre", "soren lodz oeuvre"],
  ["İstanbul ısı", "istanbul isi"],
  ["ΟΔΟΣ", "οδοσ"],
  ["e\u0301tude", "etude"],
])("%s is found as %s", (text, folded) => {
  expect(fold(text)).toBe(folded);
});

test("a search consists of different words", () => {
  expect(wordsOf("  Paris\u00a0 map  PARIS ")).toEqual(["paris", "map"]);
  expect(wordsOf(" ")).toEqual([]);
});
