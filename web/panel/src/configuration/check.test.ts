import { expect, test } from "vitest";
import { sorted } from "./check.ts";

test("groups problems by key, and separates those of keys that cannot be edited", () => {
  const problems = [
    { key: "a", message: "First." },
    { key: "a", message: "Second." },
    { key: "other", message: "Third." },
    { message: "Fourth." },
  ];
  expect(sorted(problems, { a: "1", b: null })).toEqual({
    byKey: { a: "First. Second." },
    others: ["Third.", "Fourth."],
  });
});
