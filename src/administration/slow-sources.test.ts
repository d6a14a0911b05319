import { describe, expect, it } from "vitest";
import { SlowSources, slowestOf } from "./slow-sources.ts";

describe("slow sources", () => {
  it("remembers the slowest, and no fast ones", () => {
    const slow = new SlowSources(() => 0);
    slow.note("quick", 30);
    for (let n = 1; n <= 30; n++) slow.note(`image ${n}`, 60 + n);
    slow.note("image 30", 100);
    const { slowest } = slow;
    expect(slowest).toHaveLength(20);
    expect(slowest[0]).toEqual({ identifier: "image 30", ms: 100, count: 2, at: 0 });
    expect(slowest.map(({ identifier }) => identifier)).not.toContain("image 10");
  });

  it("forgets what was slow long ago", () => {
    let now = 0;
    const slow = new SlowSources(() => now);
    slow.note("then", 900);
    now = 700_000;
    slow.note("now", 60);
    expect(slow.slowest.map(({ identifier }) => identifier)).toEqual(["now"]);
  });

  it("adds up what several processes report of one image", () => {
    const one = { identifier: "a", ms: 60, count: 2, at: 5 };
    expect(slowestOf([one, { ...one, ms: 90, at: 3 }], 5)).toEqual([
      { identifier: "a", ms: 90, count: 4, at: 5 },
    ]);
  });
});
