import { describe, expect, it } from "vitest";
import { freshnessSeconds, KeptAnswers } from "./cached-answers.ts";

describe("the lifetime of a cached answer", () => {
  it.each([
    [undefined, 0],
    ["", 0],
    ["public", 0],
    ["max-age=60", 60],
    ['MAX-AGE="60"', 60],
    ["public, max-age=60", 60],
    ["max-age=60, s-maxage=5", 5],
    ["max-age=60, s-maxage=0", 0],
    ["max-age=60, no-store", 0],
    ["no-cache, max-age=60", 0],
    // For one user only: it is unknown which.
    ["private, max-age=60", 0],
    ['private="x", max-age=60', 0],
    ["max-age=60, max-age=70", 0],
    ["max-age=-1", 0],
    ["max-age=1e9", 0],
    ["max-age", 0],
    ["x-max-age=60", 0],
  ])("follows %j", (control, seconds) => {
    expect(freshnessSeconds({ "cache-control": control })).toBe(seconds);
  });

  it("is reduced by the answer's age", () => {
    const of = (age: string) => freshnessSeconds({ "cache-control": "max-age=60", age });
    expect([of("20"), of("60"), of("90"), of("young")]).toEqual([40, 0, 0, 0]);
  });
});

describe("cached answers", () => {
  it("expire at the end of their lifetime, which begins with the request", () => {
    let now = 1_000;
    const kept = new KeptAnswers(10_000, () => now);
    kept.keep("a", "true", { since: 500, seconds: 2 });
    kept.keep("b", "true", { since: 500, seconds: 0 });
    expect([kept.get("a"), kept.get("b")]).toEqual(["true", undefined]);
    now = 2_499;
    expect(kept.get("a")).toBe("true");
    now = 2_500;
    expect(kept.get("a")).toBeUndefined();
  });

  it("are bounded, even when short", () => {
    const kept = new KeptAnswers(4_000, () => 0);
    for (let n = 0; n < 1_000; n++) kept.keep(`${n}`, "true", { since: 0, seconds: 9 });
    const left = Array.from({ length: 1_000 }, (_, n) => kept.get(`${n}`)).filter(Boolean);
    expect(left).toHaveLength(9);
    kept.keep("long", "x".repeat(4_000), { since: 0, seconds: 9 });
    expect(kept.get("long")).toBeUndefined();
  });

  it("are not stored without room, and are gone after clearing", () => {
    const none = new KeptAnswers(0, () => 0);
    none.keep("a", "1", { since: 0, seconds: 9 });
    expect(none.get("a")).toBeUndefined();
    const some = new KeptAnswers(4_000, () => 0);
    some.keep("a", "1", { since: 0, seconds: 9 });
    const { generation } = some;
    some.clear();
    expect(some.get("a")).toBeUndefined();
    expect(some.generation).not.toBe(generation);
  });
});
