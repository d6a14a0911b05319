import { describe, expect, it } from "vitest";
import type { Cache } from "../caches/cache.ts";
import { createMemory } from "../caches/memory.ts";
import { renderOnceAmongServers } from "./once.ts";

const turns = { lockMs: 2_000, lookMs: 2 };
const name = "image/1";

/** A cache with locks that two servers share. */
const shared = (): Cache & { readonly locks: Set<string> } => {
  const locks = new Set<string>();
  return {
    ...createMemory({ bytes: 1 << 20 }),
    locks,
    async lock(lockName) {
      if (locks.has(lockName)) return undefined;
      locks.add(lockName);
      return async () => void locks.delete(lockName);
    },
  };
};

const house = (cache: Cache) => {
  const counts = { drawn: 0 };
  const draw = async (): Promise<Uint8Array> => {
    const body = Uint8Array.from([++counts.drawn]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await cache.put(name, body);
    return body;
  };
  const ask = (signal = new AbortController().signal) =>
    renderOnceAmongServers({ cache, name, signal }, draw, turns);
  return { counts, draw, ask };
};

describe("rendering once among servers", () => {
  it("is done by one of many, and all get its image", async () => {
    const cache = shared();
    const { counts, ask } = house(cache);
    const bodies = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(counts.drawn).toBe(1);
    expect(new Set(bodies.map((body) => body[0]))).toEqual(new Set([1]));
    expect(cache.locks.size).toBe(0);
  });

  it("is not repeated by a server that gets the lock just after the image was stored", async () => {
    const cache = shared();
    const { counts, ask } = house({
      ...cache,
      async lock(...asked) {
        await cache.put(name, Uint8Array.from([9]));
        return cache.lock?.(...asked);
      },
    });
    expect(await ask()).toEqual(Uint8Array.from([9]));
    expect(counts.drawn).toBe(0);
    expect(cache.locks.size).toBe(0);
  });

  it("passes to the next server if the first one fails", async () => {
    const cache = shared();
    const { ask } = house(cache);
    const failing = renderOnceAmongServers(
      { cache, name, signal: new AbortController().signal },
      () => Promise.reject(new Error("damaged")),
      turns,
    );
    const next = ask();
    await expect(failing).rejects.toThrow("damaged");
    expect(await next).toEqual(Uint8Array.from([1]));
  });

  it("continues if a lock is never released", async () => {
    const cache = shared();
    cache.locks.add(name);
    const { draw } = house(cache);
    const signal = new AbortController().signal;
    const body = await renderOnceAmongServers({ cache, name, signal }, draw, {
      lockMs: 50,
      lookMs: 2,
    });
    expect(body).toEqual(Uint8Array.from([1]));
  });

  it("is not waited for by a client that has disconnected", async () => {
    const cache = shared();
    cache.locks.add(name);
    const { ask, counts } = house(cache);
    const leaving = new AbortController();
    const asked = ask(leaving.signal);
    setTimeout(() => leaving.abort(new Error("left")), 10);
    await expect(asked).rejects.toThrow("left");
    expect(counts.drawn).toBe(0);
  });

  it("changes nothing if a cache has no locks", async () => {
    const { ask, counts } = house(createMemory({ bytes: 1 << 20 }));
    await ask();
    expect(counts.drawn).toBe(1);
  });
});
