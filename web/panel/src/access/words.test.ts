import { expect, test } from "vitest";
import { conditionWords, outcomeWords, reasonWords } from "./words.ts";

test.each([
  [{ action: "allow" }, "allowed"],
  [{ action: "allow", confinement: { side: 600 } }, "allowed up to 600 pixels a side"],
  [
    { action: "allow", confinement: { side: 600, area: 9000 } },
    "allowed up to 600 pixels a side and 9000 pixels in all",
  ],
  [
    {
      action: "allow",
      watermark: { kind: "image", image: "a.png", position: "repeat", inset: 0 },
    },
    "allowed, with a watermark",
  ],
  [{ action: "deny", status: 404 }, "denied with 404"],
] as const)("describes %j", (outcome, words) => {
  expect(outcomeWords(outcome)).toBe(words);
});

test("lists the conditions of a rule", () => {
  const outcome = { action: "allow" } as const;
  expect(conditionWords({ number: 1, signed: false, outcome })).toEqual([]);
  expect(
    conditionWords({
      number: 1,
      identifier: "^a",
      address: ["10.0.0.0/8", "::1"],
      tokens: 2,
      header: { name: "x-user", values: ["eve", "bob"] },
      signed: true,
      auth: { service: "staff", groups: ["a", "b"] },
      outcome,
    }),
  ).toEqual([
    "identifier ^a",
    "address 10.0.0.0/8, ::1",
    "one of 2 tokens",
    "header x-user: eve or bob",
    "signed URL",
    "login at staff in a or b",
  ]);
});

test("describes the decision", () => {
  const trial = { outcome: { action: "deny", status: 403 }, steps: [], shared: false } as const;
  expect(reasonWords({ ...trial, by: 7 })).toBe("Rule 7 is the first that matches.");
  expect(reasonWords({ ...trial, by: "default" })).toContain("access.default is deny");
});
