import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Config } from "../config/store.ts";
import { type LogFields, type Logger, silent } from "../core/log.ts";
import { type SweptPlace, startSweeping, sweepAsConfigured } from "./sweeping.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const times = { firstMs: 60_000, intervalMs: 10_000, maxMs: 5_000 };

/** A place whose sweeps take as long as told, and end with their signal. */
const slow = (
  ms: number,
): SweptPlace & { readonly swept: () => number; readonly max: () => number } => {
  let [swept, running, max] = [0, 0, 0];
  return {
    name: "slow",
    swept: () => swept,
    max: () => max,
    sweep: async (signal) => {
      max = Math.max(max, ++running);
      try {
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(resolve, ms);
          signal.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(signal.reason);
          });
        });
        swept++;
        return { entries: swept, bytes: 100 };
      } finally {
        running--;
      }
    },
  };
};

const logOf = (): Logger & { readonly said: (readonly [string, LogFields | undefined])[] } => {
  const said: (readonly [string, LogFields | undefined])[] = [];
  const note = (message: string, fields?: LogFields): void => void said.push([message, fields]);
  return { ...silent, said, info: note, warn: note };
};

describe("sweeping", () => {
  it("begins a minute after the start, and again an interval after each end", async () => {
    const place = slow(3_000);
    const sweeping = startSweeping([place], times, silent);
    await vi.advanceTimersByTimeAsync(62_999);
    expect(place.swept()).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(place.swept()).toBe(1);
    await vi.advanceTimersByTimeAsync(12_999);
    expect(place.swept()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(place.swept()).toBe(2);
    await sweeping.stop();
  });

  it("reports in one line what was removed", async () => {
    const log = logOf();
    const sweeping = startSweeping([slow(2_000)], times, log);
    await vi.advanceTimersByTimeAsync(63_000);
    expect(log.said).toEqual([
      ["A cache was swept", { cache: "slow", entries: 1, bytes: 100, seconds: expect.any(Number) }],
    ]);
    await sweeping.stop();
  });

  it("aborts sweeps that take too long, retries later, and never runs two at once", async () => {
    const log = logOf();
    const [endless, other] = [slow(1_000_000), slow(1)];
    const sweeping = startSweeping([endless, other], times, log);
    await vi.advanceTimersByTimeAsync(120_000);
    const failed = log.said.filter(([message]) => message.includes("did not finish"));
    expect(failed.length).toBe(4);
    expect(endless.max()).toBe(1);
    expect(other.swept()).toBe(4);
    await sweeping.stop();
  });

  it("continues after a failure", async () => {
    let asked = 0;
    const broken: SweptPlace = {
      name: "broken",
      sweep: async () => {
        asked++;
        throw new Error("no");
      },
    };
    const log = logOf();
    const good = slow(1);
    const sweeping = startSweeping([broken, good], times, log);
    await vi.advanceTimersByTimeAsync(75_000);
    expect(asked).toBe(2);
    expect(good.swept()).toBe(2);
    expect(log.said[0]?.[1]).toMatchObject({ cache: "broken", error: new Error("no") });
    await sweeping.stop();
  });

  it("stops in the middle of a sweep, and for good", async () => {
    const place = slow(4_000);
    const log = logOf();
    const sweeping = startSweeping([place], times, log);
    await vi.advanceTimersByTimeAsync(61_000);
    await sweeping.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(place.swept()).toBe(0);
    expect(log.said).toEqual([]);
  });

  it("does not wait forever for a place that ignores its signal", async () => {
    const deaf: SweptPlace = { name: "deaf", sweep: () => new Promise(() => {}) };
    const sweeping = startSweeping([deaf], times, silent);
    await vi.advanceTimersByTimeAsync(61_000);
    const stopped = vi.fn();
    void sweeping.stop().then(stopped);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(stopped).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(stopped).toHaveBeenCalled();
  });

  it("follows the configuration, and does nothing if disabled or without anything to sweep", async () => {
    const place = slow(1);
    const on = { "cache.server.worker.enabled": true, "cache.server.worker.interval": 5_000_000 };
    expect(sweepAsConfigured(new Config(), [place], silent)).toBeUndefined();
    expect(sweepAsConfigured(new Config(on), [], silent)).toBeUndefined();
    const sweeping = sweepAsConfigured(new Config(on), [place], silent);
    await vi.advanceTimersByTimeAsync(60_001);
    expect(place.swept()).toBe(1);
    // An interval longer than timers can be must not become zero.
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(place.swept()).toBe(1);
    await sweeping?.stop();
  });
});
