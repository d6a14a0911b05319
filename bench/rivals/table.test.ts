import { describe, expect, it } from "vitest";
import { type Measurement, middle } from "./measurement.ts";
import { table } from "./table.ts";

const run = (perSecond: number, failed = 0): Measurement => ({
  perSecond,
  p50: 8_000 / perSecond,
  p95: 16_000 / perSecond,
  processorTime: 0.1234,
  bytes: 9_000,
  failed,
});

const workload = { name: "a", title: "a load", targets: { iipsrv: 1.2 }, clients: 8 };

describe("the middle run", () => {
  it("is the middle one by rate, the lower of two, and none of none", () => {
    expect(middle([run(30), run(10), run(20)])?.perSecond).toBe(20);
    expect(middle([run(30), run(10)])?.perSecond).toBe(10);
    expect(middle([])).toBeUndefined();
  });
});

describe("the table", () => {
  const cells = (outcome: Parameters<typeof table>[0][number]): string[] =>
    table([outcome], ["iipsrv"]).split("\n")[2]?.split(" | ") ?? [];

  it("shows the ratio of the middle rates, and makes a missed target stand out", () => {
    const met = { workload, runs: { vitrine: [run(240)], iipsrv: [run(200)] }, agreement: {} };
    const missed = { workload, runs: { vitrine: [run(200)], iipsrv: [run(200)] }, agreement: {} };
    expect(cells(met)).toContain("1.20 (1.2)");
    expect(cells(missed)).toContain("**1.00** (1.2)");
  });

  it("holds a rate against its floor, and leaves no ratio where a rival answered nothing", () => {
    const outcome = {
      workload: { ...workload, floor: 8_000 },
      runs: { vitrine: [run(7_000)], iipsrv: [run(0, 8)] },
      agreement: { iipsrv: { apart: 0, complaints: ["status 500"] } },
    };
    expect(cells(outcome)[1]).toBe("**7,000** (8,000)");
    expect(cells(outcome).slice(4)).toEqual(["0.0 (8 failed)", "0.123", "–", "–", "**differs** |"]);
  });
});
