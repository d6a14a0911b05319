import { describe, expect, it } from "vitest";
import { IncidentLog } from "./incidents.ts";

const logOf = (after = 2): IncidentLog => new IncidentLog(() => ({ after, ms: 1_000 }));

describe("incidents of an image", () => {
  it("quarantine it once there are enough, with proof among them, for a limited time", () => {
    const log = logOf();
    log.add("a", "proven", 100);
    expect(log.verdict("a", 100)).toEqual({ kind: "free" });
    log.add("a", "suspected", 400);
    expect(log.verdict("a", 500)).toEqual({ kind: "refused", leftMs: 900 });
    expect(log.verdict("a", 1_399)).toEqual({ kind: "refused", leftMs: 1 });
    expect(log.verdict("a", 1_400)).toEqual({ kind: "free" });
    expect(log.verdict("b", 500)).toEqual({ kind: "free" });
  });

  it("make it a suspect if none of them is proof", () => {
    const log = logOf();
    for (const time of [100, 200]) log.add("a", "suspected", time);
    expect(log.verdict("a", 200)).toEqual({ kind: "suspect" });
    expect(log.clear("a", { all: false })).toBe(true);
    expect(log.verdict("a", 200)).toEqual({ kind: "free" });
  });

  it("count together only if close enough in time, in any order of reporting", () => {
    const log = logOf();
    log.add("a", "proven", 2_000);
    log.add("a", "proven", 900);
    expect(log.verdict("a", 2_000)).toEqual({ kind: "free" });
    log.add("a", "proven", 1_500);
    expect(log.verdict("a", 2_000)).toMatchObject({ kind: "refused" });
  });

  it("never quarantine it where that is disabled", () => {
    const log = logOf(0);
    for (const time of [1, 2, 3]) log.add("a", "proven", time);
    expect(log.verdict("a", 3)).toEqual({ kind: "free" });
  });
});
