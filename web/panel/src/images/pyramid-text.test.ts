import { expect, test } from "vitest";
import { pyramidText } from "./pyramid-text.ts";

test("says whether a page has a pyramid, why not, and what it would bring", () => {
  const page = 1;
  expect(pyramidText({ page, gain: 1, state: { kind: "unneeded" } })).toContain("not needed");
  expect(pyramidText({ page, gain: 12.34, state: { kind: "absent", share: 0.5 } })).toBe(
    "none yet, requests have caused 50\u202f% of the decoding after which one is made; it would make zooming up to 12.3 times cheaper",
  );
  expect(pyramidText({ page, gain: 30, state: { kind: "ready", bytes: 2048 } })).toBe(
    "made, 2\u202fKiB; it makes zooming up to 30 times cheaper",
  );
  expect(pyramidText({ page, gain: 2, state: { kind: "refused", reason: "Too large." } })).toBe(
    "refused: Too large; it would make zooming up to 2 times cheaper",
  );
  expect(pyramidText({ page, gain: 2, state: { kind: "pending" } })).toContain("being made");
});
