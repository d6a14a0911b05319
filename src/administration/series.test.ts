import { describe, expect, it } from "vitest";
import { Counting, imageKind, infoKind } from "./counting.ts";
import type { Sample } from "./sample.ts";
import { Series } from "./series.ts";

const sampleOf = (counting: Counting, upMs: number, more: Partial<Sample> = {}): Sample => ({
  process: "1/100",
  upMs,
  ...counting.snapshot(),
  lanes: { small: { running: 1, waiting: 2 }, large: { running: 0, waiting: 0 } },
  refused: 0,
  caches: [],
  memory: { resident: 100, heapUsed: 10 },
  cpuMs: 0,
  eventLoop: { p99: 1, max: 2 },
  slowest: [],
  ...more,
});

const shape = { intervalMs: 5_000, intervals: 3 };

describe("series", () => {
  it("tells what happened between samples, per second", () => {
    const counting = new Counting();
    const series = new Series(shape);
    series.add([sampleOf(counting, 100_000)], 1);
    for (let n = 0; n < 99; n++) counting.note(imageKind, 200, 10);
    counting.note(imageKind, 503, 1_000);
    counting.note(infoKind, 200, 1);
    const caches = [{ layer: "memory", hits: 50, misses: 5, bytes: 7 }] as const;
    series.add([sampleOf(counting, 105_000, { cpuMs: 2_500, refused: 10, caches })], 2);
    const [, interval] = series.intervals;
    expect(interval).toMatchObject({
      at: 2,
      seconds: 5,
      requests: { image: { ok: 19.8, server: 0.2 }, info: { ok: 0.2 }, other: { ok: 0 } },
      lanes: { small: { running: 1, waiting: 2 }, refused: 2 },
      caches: { memory: { hits: 10, misses: 1, bytes: 7 } },
      processors: 0.5,
      workers: 1,
    });
    expect(interval?.latency.image?.p50).toBeGreaterThan(9);
    expect(interval?.latency.image?.p99).toBeLessThan(11);
    expect(interval?.latency.other).toBeNull();
    expect(series.intervals[0]?.requests.image.ok).toBe(0);
  });

  it("adds up workers, and treats a replacement as a new one", () => {
    const [one, other, third] = [new Counting(), new Counting(), new Counting()];
    const series = new Series(shape);
    const second = { process: "2/200" };
    series.add([sampleOf(one, 20_000), sampleOf(other, 20_000, second)], 1);
    for (let n = 0; n < 10; n++) one.note(imageKind, 200, 1);
    for (let n = 0; n < 20; n++) third.note(imageKind, 200, 1);
    series.add([sampleOf(one, 25_000), sampleOf(third, 4_000, { process: "2/201" })], 2);
    const interval = series.intervals.at(-1);
    expect(interval?.requests.image.ok).toBe(2 + 5);
    expect(interval?.memory.resident).toBe(200);
    expect(interval?.workers).toBe(2);
  });

  it("keeps a limited number of intervals, and makes none of nothing", () => {
    const counting = new Counting();
    const series = new Series(shape);
    series.add([], 0);
    for (let n = 1; n <= 10; n++) series.add([sampleOf(counting, n * 5_000)], n);
    expect(series.intervals.map(({ at }) => at)).toEqual([8, 9, 10]);
  });
});
