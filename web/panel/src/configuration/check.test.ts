import { expect, test } from "vitest";
import { sorted } from "./check.ts";

test("tells problems by key, and apart those of keys that nobody edits", () => {
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
