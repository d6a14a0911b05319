import { expect, it } from "vitest";
import { Busy, queueFull, waitTooLong } from "./busy.ts";

const after = (expectedMs: number): number =>
  new Busy("busy", { lane: "small", waiting: 1, expectedMs }).retryAfter;

it("clients are told to retry when the queue should be empty, in 1 to 60 seconds", () => {
  expect([0, 400, 1_000, 1_001, 59_000, 3_600_000, Number.POSITIVE_INFINITY].map(after)).toEqual([
    1, 1, 1, 2, 59, 60, 60,
  ]);
});

it("the queue's length or the wait is reported", () => {
  const crowd = { lane: "large", waiting: 12, expectedMs: 33_200 } as const;
  expect(queueFull(crowd).message).toContain("12 images are already waiting");
  expect(waitTooLong(crowd).message).toContain("34 s");
  expect(waitTooLong(crowd).failure).toBe("busy");
});

it("it has no stack, and other errors keep theirs", () => {
  expect(waitTooLong({ lane: "large", waiting: 0, expectedMs: 1 }).stack).not.toContain(
    "\n    at ",
  );
  expect(new Error("other").stack).toContain("\n    at ");
});
