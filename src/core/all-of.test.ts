import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { allOf } from "./all-of.ts";

it("has all results in order", async () => {
  expect(await allOf([turn(1), "two", undefined])).toEqual([1, "two", undefined]);
});

it("fails only once all have ended", async () => {
  let hasEnded = false;
  const slow = async (): Promise<void> => {
    await turn();
    await turn();
    hasEnded = true;
  };
  await expect(allOf([Promise.reject(new Error("first")), slow()])).rejects.toThrow("first");
  expect(hasEnded).toBe(true);
});
