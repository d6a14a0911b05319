import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fail } from "../core/errors.ts";
import { Counting, imageKind } from "./counting.ts";
import type { Member } from "./member.ts";
import type { Sample } from "./sample.ts";
import { Ticking } from "./ticking.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A worker that has answered a hundred requests between samples, with one delay. */
const workerOf = (name: string) => {
  const counting = new Counting();
  const began = performance.now();
  let asked = 0;
  const sample = async (): Promise<Sample> => {
    asked++;
    for (let n = 0; n < 100; n++) counting.note(imageKind, 200, 4);
    return {
      process: name,
      upMs: 1_000 + performance.now() - began,
      ...counting.snapshot(),
      lanes: { small: { running: 1, waiting: 0 }, large: { running: 0, waiting: 0 } },
      refused: 0,
      caches: [{ layer: "infos", hits: 10 * asked, misses: 0, bytes: 7 }],
      memory: { resident: 1, heapUsed: 1 },
      cpuMs: 0,
      eventLoop: { p99: asked === 3 ? 80 : 1, max: asked === 3 ? 90 : 2 },
      slowest: [{ identifier: name, ms: 60, count: 1, at: Date.now() }],
    };
  };
  return { member: { sample } as Partial<Member> as Member, asked: () => asked };
};

describe("figures over time", () => {
  it("are collected every five seconds, and every second while somebody views them", async () => {
    const worker = workerOf("1/1");
    const ticking = new Ticking(() => [worker.member]);
    await vi.advanceTimersByTimeAsync(20_500);
    expect(worker.asked()).toBe(4);
    const before = await ticking.figures();
    expect(before.intervals.length).toBe(4);
    await vi.advanceTimersByTimeAsync(10_000);
    const { intervals, recent, slowest } = await ticking.figures();
    expect(recent.length).toBeGreaterThanOrEqual(10);
    expect(intervals.length).toBe(6);
    expect(recent.at(-1)?.requests.image.ok).toBeCloseTo(100, 0);
    expect(intervals.at(-1)?.requests.image.ok).toBeCloseTo(100, 0);
    expect(intervals.at(-1)?.latency.all?.p50).toBeCloseTo(4, 0);
    expect(slowest.map(({ identifier }) => identifier)).toEqual(["1/1"]);
    const asked = worker.asked();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(worker.asked() - asked).toBeLessThan(25);
    ticking.close();
    const last = worker.asked();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(worker.asked()).toBe(last);
  });

  it("are the sum of all workers that answer; others are left out", async () => {
    const [one, other] = [workerOf("1/1"), workerOf("2/2")];
    const silent = {
      sample: async () => fail("late", "No answer."),
    } as Partial<Member> as Member;
    const ticking = new Ticking(() => [one.member, silent, other.member]);
    await vi.advanceTimersByTimeAsync(10_500);
    const { intervals } = await ticking.figures();
    expect(intervals.at(-1)).toMatchObject({
      workers: 2,
      lanes: { small: { running: 2 } },
      caches: { infos: { bytes: 14 } },
    });
    ticking.close();
  });

  it("report the maximum event loop delay, whenever it occurred", async () => {
    const worker = workerOf("1/1");
    const ticking = new Ticking(() => [worker.member]);
    await ticking.figures();
    await vi.advanceTimersByTimeAsync(6_500);
    const { intervals } = await ticking.figures();
    expect(Math.max(...intervals.map(({ eventLoop }) => eventLoop.max))).toBe(90);
    ticking.close();
  });
});
