import { describe, expect, it } from "vitest";
import {
  Counting,
  imageKind,
  infoKind,
  latencyClasses,
  latencyOf,
  otherKind,
  requestsAt,
} from "./counting.ts";

describe("counting requests", () => {
  it("distinguishes kinds and classes of status", () => {
    const counting = new Counting();
    for (const status of [200, 206, 304, 404, 499, 500, 503]) counting.note(imageKind, status, 1);
    counting.note(infoKind, 200, 1);
    counting.note(otherKind, 401, 1);
    const of = (...at: Parameters<typeof requestsAt>) => counting.requests[requestsAt(...at)];
    expect(of("image", "ok")).toBe(2);
    expect(of("image", "redirect")).toBe(1);
    expect(of("image", "client")).toBe(1);
    expect(of("image", "left")).toBe(1);
    expect(of("image", "server")).toBe(2);
    expect(of("info", "ok")).toBe(1);
    expect(of("other", "client")).toBe(1);
  });

  it("resolves each latency to within a tenth, and accepts any number", () => {
    for (const ms of [0.1, 0.7, 3, 44, 950, 30_000, 600_000]) {
      const counting = new Counting();
      counting.note(imageKind, 200, ms);
      const found = counting.latencies.indexOf(1);
      expect(Math.abs(latencyOf(found) - ms) / ms).toBeLessThan(0.1);
    }
    const counting = new Counting();
    for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12])
      counting.note(imageKind, 200, ms);
    expect(counting.latencies[0]).toBe(3);
    expect(counting.latencies[latencyClasses - 1]).toBe(2);
  });

  it("gives snapshots that do not grow", () => {
    const counting = new Counting();
    counting.note(imageKind, 200, 5);
    const before = counting.snapshot();
    counting.note(imageKind, 200, 7);
    expect(before.requests[requestsAt("image", "ok")]).toBe(1);
    expect(before.milliseconds[imageKind]).toBe(5);
    expect(counting.milliseconds[imageKind]).toBe(12);
  });
});
