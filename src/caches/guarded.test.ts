import { describe, expect, it } from "vitest";
import { cacheContract } from "../../test/contract/cache.ts";
import { silent } from "../core/log.ts";
import type { Cache } from "./cache.ts";
import { guarded } from "./guarded.ts";
import { createMemory } from "./memory.ts";

const patience = { readMs: 50, writeMs: 50, restMs: 1_000, maxRestMs: 4_000 };

cacheContract("a guarded cache", () =>
  guarded(createMemory({ bytes: 1 << 20 }), patience, { log: silent }),
);

const house = () => {
  const clock = { ms: 0 };
  const broken = { is: false };
  const calls = { count: 0 };
  const said: string[] = [];
  const memory = createMemory({ bytes: 1 << 20 });
  const fragile: Cache = {
    ...memory,
    get: async (name) => {
      calls.count++;
      if (broken.is) throw new Error("away");
      return memory.get(name);
    },
    put: async (name, body) => {
      calls.count++;
      if (broken.is) throw new Error("away");
      return memory.put(name, body);
    },
  };
  const cache = guarded(fragile, patience, {
    log: { ...silent, warn: (line) => void said.push(line) },
    now: () => clock.ms,
  });
  return { cache, clock, broken, calls, said };
};

describe("a guarded cache", () => {
  it("counts hits and misses", async () => {
    const { cache } = house();
    await cache.get("image/1");
    await cache.put("image/1", Uint8Array.from([1]));
    await cache.get("image/1");
    expect(cache.tally).toEqual({ hits: 1, misses: 1, failures: 0, spared: 0 });
  });

  it("turns a failure into a miss, backs off with growing pauses, and recovers", async () => {
    const { cache, clock, broken, calls, said } = house();
    await cache.put("image/1", Uint8Array.from([1]));
    broken.is = true;
    expect(await cache.get("image/1")).toBeUndefined();
    const asked = calls.count;
    await cache.get("image/1");
    await cache.put("image/2", Uint8Array.from([2]));
    expect(calls.count).toBe(asked);
    expect(cache.tally).toMatchObject({ failures: 1, spared: 2 });
    clock.ms = 1_001;
    await cache.get("image/1");
    expect(calls.count).toBe(asked + 1);
    clock.ms = 2_500;
    await cache.get("image/1");
    expect(calls.count).toBe(asked + 1);
    broken.is = false;
    clock.ms = 3_100;
    expect((await cache.get("image/1"))?.body).toEqual(Uint8Array.from([1]));
    expect(said).toHaveLength(2);
  });

  it("backs off no longer than its maximum, and starts small again after recovering", async () => {
    const { cache, clock, broken, calls } = house();
    broken.is = true;
    for (let n = 1; n <= 8; n++) {
      await cache.get("image/1");
      expect(calls.count).toBe(n);
      clock.ms += patience.maxRestMs;
    }
    broken.is = false;
    await cache.get("image/1");
    broken.is = true;
    await cache.get("image/1");
    expect(calls.count).toBe(10);
    clock.ms += patience.restMs - 1;
    await cache.get("image/1");
    expect(calls.count).toBe(10);
    clock.ms += 1;
    await cache.get("image/1");
    expect(calls.count).toBe(11);
  });

  it("aborts a call that does not respond", async () => {
    const stuck = { ...createMemory({ bytes: 1_000 }), get: () => new Promise<never>(() => {}) };
    const cache = guarded(stuck, patience, { log: silent });
    expect(await cache.get("image/1")).toBeUndefined();
    expect(cache.tally.failures).toBe(1);
  });

  it("lets everybody work where locks are unavailable, and nobody where one is held", async () => {
    const memory = createMemory({ bytes: 1_000 });
    const away = { ...memory, lock: () => Promise.reject(new Error("away")) };
    const taken = { ...memory, lock: async () => undefined };
    const guard = (cache: Cache) => guarded(cache, patience, { log: silent });
    expect(await guard(away).lock?.("image/1", 100)).toBeTypeOf("function");
    expect(await guard(taken).lock?.("image/1", 100)).toBeUndefined();
  });

  it("does not treat a leaving caller as a failure", async () => {
    const stuck = {
      ...createMemory({ bytes: 1_000 }),
      get: (_name: string, signal?: AbortSignal) =>
        new Promise<never>((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
        }),
    };
    const cache = guarded(stuck, { ...patience, readMs: 10_000 }, { log: silent });
    const leaving = new AbortController();
    const asked = cache.get("image/1", leaving.signal);
    leaving.abort(new Error("left"));
    await expect(asked).rejects.toThrow("left");
    expect(cache.tally.failures).toBe(0);
  });
});
