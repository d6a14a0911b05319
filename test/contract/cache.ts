import { describe, expect, it, vi } from "vitest";
import type { Cache } from "../../src/caches/cache.ts";

/** The contract of every cache, whatever it stores things in. */
export const cacheContract = (name: string, make: () => Cache | Promise<Cache>): void => {
  describe(`${name} as a cache`, () => {
    it("misses what was never put", async () => {
      expect(await (await make()).get("nothing")).toBeUndefined();
    });

    it("gives back what was put, with the time it was put", async () => {
      const cache = await make();
      const before = Date.now();
      await cache.put("a/1", new Uint8Array([1, 2, 3]));
      const entry = await cache.get("a/1");
      expect(entry?.body).toEqual(new Uint8Array([1, 2, 3]));
      expect(entry?.storedAt.getTime()).toBeGreaterThanOrEqual(before);
    });

    it("keeps the last of two puts under one key", async () => {
      const cache = await make();
      await cache.put("a/1", new Uint8Array([1]));
      await cache.put("a/1", new Uint8Array([2, 2]));
      expect((await cache.get("a/1"))?.body).toEqual(new Uint8Array([2, 2]));
    });

    it("counts all, and by prefix", async () => {
      const cache = await make();
      for (const name of ["a/1", "a/2", "b/1"]) await cache.put(name, new Uint8Array(100));
      // Some are written in the background.
      await vi.waitFor(async () => expect((await cache.stats()).entries).toBe(3));
      const { entries, bytes } = await cache.stats(undefined, "a/");
      expect(entries).toBe(2);
      expect(bytes).toBeGreaterThanOrEqual(200);
      expect(bytes).toBeLessThan((await cache.stats()).bytes);
      expect(await cache.stats(undefined, "c/")).toEqual({ entries: 0, bytes: 0 });
    });

    it("removes by prefix and nothing else", async () => {
      const cache = await make();
      await cache.put("a/1", new Uint8Array([1]));
      await cache.put("a/2", new Uint8Array([1]));
      await cache.put("b/1", new Uint8Array([2]));
      expect(await cache.remove("a/")).toBe(2);
      expect(await cache.get("a/1")).toBeUndefined();
      expect(await cache.get("a/2")).toBeUndefined();
      expect(await cache.get("b/1")).toBeDefined();
    });
  });
};
