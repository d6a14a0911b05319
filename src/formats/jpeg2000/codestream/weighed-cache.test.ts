import { expect, test } from "vitest";
import { WeighedCache } from "./weighed-cache.ts";

interface Weight {
  bytes: number;
}

test("the least recently used are evicted first when together they exceed the limit", () => {
  const kept = new WeighedCache<string, Weight>(() => 100);
  for (const key of ["a", "b", "c"]) kept.set(key, { bytes: 30 });
  kept.get("a");
  kept.set("d", { bytes: 30 });
  expect(["a", "b", "c", "d"].filter((key) => kept.get(key) !== undefined)).toEqual([
    "a",
    "c",
    "d",
  ]);
  expect(kept.bytes).toBe(90);
});

test("a growing entry is weighed again, and evicts others or itself", () => {
  const kept = new WeighedCache<string, Weight>(() => 100);
  const grown = { bytes: 10 };
  kept.set("old", { bytes: 50 });
  kept.set("grown", grown);
  grown.bytes = 80;
  kept.weigh("grown");
  expect([kept.get("old"), kept.get("grown")]).toEqual([undefined, grown]);
  expect(kept.bytes).toBe(80);
  grown.bytes = 101;
  kept.weigh("grown");
  expect(kept.get("grown")).toBeUndefined();
  expect(kept.bytes).toBe(0);
});
