import { describe, expect, it } from "vitest";
import { cacheContract } from "../../test/contract/cache.ts";
import type { Cache } from "./cache.ts";
import { layered } from "./layered.ts";
import { createMemory } from "./memory.ts";

const limits = { waitingBytes: 10_000, writers: 2, closingMs: 200 };
const memory = () => createMemory({ bytes: 1 << 20 });

cacheContract("a cache with memory in front", () =>
  layered({ front: memory(), back: memory() }, limits),
);
cacheContract("a cache that is written to behind", () =>
  layered({ front: undefined, back: memory() }, limits),
);

/** A cache whose writes end when the test says. */
const slow = () => {
  const kept = memory();
  const writes: (() => void)[] = [];
  const back: Cache = {
    ...kept,
    put: async (name, body, signal) => {
      await new Promise<void>((resolve, reject) => {
        writes.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
      await kept.put(name, body);
    },
  };
  return { kept, back, writes, next: () => writes.shift()?.() };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a cache with memory in front", () => {
  it("writes nothing once it is closed", async () => {
    const { back, writes } = slow();
    const cache = layered({ front: memory(), back }, limits);
    await cache.close();
    await cache.put("image/1", Uint8Array.from([1]));
    expect(writes).toEqual([]);
    expect(cache.backlog).toEqual({ entries: 0, bytes: 0, dropped: 0 });
  });

  it("serves reads from queued writes", async () => {
    const { kept, back, next } = slow();
    const cache = layered({ front: undefined, back }, limits);
    await cache.put("image/1", Uint8Array.from([1]));
    expect((await cache.get("image/1"))?.body).toEqual(Uint8Array.from([1]));
    expect(await kept.get("image/1")).toBeUndefined();
    expect(cache.backlog).toMatchObject({ entries: 1, bytes: 1 });
    next();
    await settled();
    expect((await kept.get("image/1"))?.body).toEqual(Uint8Array.from([1]));
    expect(cache.backlog).toEqual({ entries: 0, bytes: 0, dropped: 0 });
  });

  it("writes the last of several puts last", async () => {
    const { kept, back, writes, next } = slow();
    const cache = layered({ front: undefined, back }, limits);
    for (const value of [1, 2, 3]) await cache.put("image/1", Uint8Array.from([value]));
    // Of two concurrent writes either could end last.
    expect(writes).toHaveLength(1);
    for (let n = 0; n < 3; n++) {
      next();
      await settled();
    }
    expect((await kept.get("image/1"))?.body).toEqual(Uint8Array.from([3]));
    expect(cache.backlog).toEqual({ entries: 0, bytes: 0, dropped: 0 });
  });

  it("queues no more than its limit", async () => {
    const { back } = slow();
    const cache = layered({ front: memory(), back }, limits);
    for (let n = 0; n < 5; n++) await cache.put(`image/${n}`, new Uint8Array(3_000));
    expect(cache.backlog).toEqual({ entries: 3, bytes: 9_000, dropped: 2 });
    expect(await cache.get("image/4")).toBeDefined();
  });

  it("caches in memory what it found behind", async () => {
    const front = memory();
    const back = memory();
    await back.put("image/1", Uint8Array.from([7]));
    const cache = layered({ front, back }, limits);
    await cache.get("image/1");
    expect((await front.get("image/1"))?.body).toEqual(Uint8Array.from([7]));
  });

  it("removes queued and running writes, too", async () => {
    const { kept, back, next } = slow();
    const cache = layered({ front: memory(), back }, limits);
    for (const name of ["image/a/1", "image/a/2", "image/a/3", "image/b/1"])
      await cache.put(name, Uint8Array.from([1]));
    const removing = cache.remove("image/a/");
    next();
    next();
    await settled();
    next();
    await removing;
    await settled();
    for (const n of [1, 2, 3]) {
      expect(await cache.get(`image/a/${n}`)).toBeUndefined();
      expect(await kept.get(`image/a/${n}`)).toBeUndefined();
    }
    expect(await cache.get("image/b/1")).toBeDefined();
  });

  it("releases a lock only when what was put under it is written", async () => {
    const { back, next } = slow();
    const events: string[] = [];
    const lock = async () => async () => void events.push("released");
    const cache = layered({ front: undefined, back: { ...back, lock } }, limits);
    const release = await cache.lock?.("image/1", 1_000);
    await cache.put("image/1", Uint8Array.from([1]));
    const releasing = release?.();
    await settled();
    expect(events).toEqual([]);
    next();
    await releasing;
    expect(events).toEqual(["released"]);
  });

  it("waits for its writes when it closes, but not for ever", async () => {
    const first = slow();
    const cache = layered({ front: undefined, back: first.back }, limits);
    await cache.put("image/1", Uint8Array.from([1]));
    const closing = cache.close();
    first.next();
    await closing;
    const second = slow();
    const stuck = layered({ front: undefined, back: second.back }, limits);
    await stuck.put("image/1", Uint8Array.from([1]));
    await stuck.close();
    expect(stuck.backlog).toMatchObject({ entries: 0, dropped: 1 });
  });
});
