import { describe, expect, it } from "vitest";
import { cacheContract } from "../../test/contract/cache.ts";
import { createMemory } from "./memory.ts";

cacheContract("HeapCache", () => createMemory({ bytes: 1 << 20 }));

describe("the memory cache", () => {
  it("evicts the least recently used when full", async () => {
    const cache = createMemory({ bytes: 100_000 });
    for (let n = 0; n < 9; n++) await cache.put(`k${n}`, new Uint8Array(10_000));
    await cache.get("k0");
    await cache.put("k9", new Uint8Array(10_000));
    expect(await cache.get("k0")).toBeDefined();
    expect(await cache.get("k1")).toBeUndefined();
    expect(await cache.get("k9")).toBeDefined();
  });

  it("retains no more memory than an entry has, whatever buffer that is a part of", async () => {
    const cache = createMemory({ bytes: 1_000_000 });
    const whole = new Uint8Array(100_000).fill(7);
    await cache.put("image/a", whole.subarray(10, 20));
    const body = (await cache.get("image/a", AbortSignal.timeout(1_000)))?.body;
    expect(body).toEqual(new Uint8Array(10).fill(7));
    expect(body?.buffer.byteLength).toBe(10);
  });

  it("restores entries with their age, and no expired ones", () => {
    const cache = createMemory({ bytes: 100_000, ttlMs: 3_600_000 });
    const entry = { body: Uint8Array.from([1]), storedAt: new Date(0) };
    const usedAt = (idleMs: number): Date => new Date(Date.now() - idleMs);
    cache.keep("old", { entry, usedAt: usedAt(3_600_000) });
    expect(cache.held).toEqual({ entries: 0, bytes: 0 });
    cache.keep("young", { entry, usedAt: usedAt(3_000_000) });
    const kept = cache.peek("young");
    expect(kept?.entry).toEqual(entry);
    expect(Date.now() - (kept?.usedAt?.getTime() ?? 0)).toBeGreaterThanOrEqual(2_999_000);
    expect(cache.near("young")).toEqual(entry);
    // That counted as use.
    expect(Date.now() - (cache.peek("young")?.usedAt?.getTime() ?? 0)).toBeLessThan(60_000);
  });

  it("does not cache an image that would evict most others", async () => {
    const cache = createMemory({ bytes: 100_000 });
    await cache.put("small", new Uint8Array(10));
    await cache.put("huge", new Uint8Array(60_000));
    expect(await cache.get("huge")).toBeUndefined();
    expect(await cache.get("small")).toBeDefined();
  });
});
