import { describe, expect, it } from "vitest";
import { cacheContract } from "../../test/contract/cache.ts";
import { type FakeStore, fakeStore } from "../../test/fake-store.ts";
import { type Logger, silent } from "../core/log.ts";
import { sealed } from "./sealed.ts";

const bounds = { bytes: 0, entries: 0 };
const name = `image/${"a".repeat(32)}/${"b".repeat(32)}`;
const body = Uint8Array.from([1, 2, 3]);

const house = (ttlMs: number, log: Logger = silent) => {
  const clock = { ms: 1_000_000 };
  const now = (): Date => new Date(clock.ms);
  const store: FakeStore = fakeStore(now);
  return { clock, store, cache: sealed(store, { ttlMs, bounds, log, now }) };
};

cacheContract("a sealed store", () =>
  sealed(
    fakeStore(() => new Date()),
    { ttlMs: 0, bounds, log: silent },
  ),
);

describe("a sealed store", () => {
  it("deletes a corrupt entry, reports it, and misses", async () => {
    const said: string[] = [];
    const { store, cache } = house(0, { ...silent, warn: (line) => void said.push(line) });
    await cache.put(name, body);
    const bytes = store.held.get(name)?.bytes;
    if (bytes) bytes[bytes.length - 1] = 99;
    expect(await cache.get(name)).toBeUndefined();
    expect(store.held.size).toBe(0);
    expect(said).toHaveLength(1);
  });

  it("misses and deletes expired entries, and keeps used ones", async () => {
    const { clock, store, cache } = house(10_000);
    await cache.put(name, body);
    clock.ms += 9_000;
    expect((await cache.get(name))?.body).toHaveLength(3);
    clock.ms += 9_000;
    expect((await cache.get(name))?.body).toHaveLength(3);
    clock.ms += 10_000;
    expect(await cache.get(name)).toBeUndefined();
    expect(store.held.size).toBe(0);
  });

  it("records a use only once in a tenth of the time to live", async () => {
    const { clock, store, cache } = house(10_000);
    await cache.put(name, body);
    clock.ms += 900;
    await cache.get(name);
    expect(store.held.get(name)?.usedAt.getTime()).toBe(1_000_000);
    clock.ms += 200;
    await cache.get(name);
    expect(store.held.get(name)?.usedAt.getTime()).toBe(1_001_100);
  });

  it("records a use once an hour where entries never expire", async () => {
    const { clock, store, cache } = house(0);
    await cache.put(name, body);
    clock.ms += 3_599_999;
    await cache.get(name);
    expect(store.held.get(name)?.usedAt.getTime()).toBe(1_000_000);
    clock.ms += 1;
    await cache.get(name);
    expect(store.held.get(name)?.usedAt.getTime()).toBe(4_600_000);
  });

  it("sweeps expired entries", async () => {
    const { clock, cache } = house(10_000);
    await cache.put(name, body);
    clock.ms += 5_000;
    expect((await cache.sweep()).entries).toBe(0);
    clock.ms += 6_000;
    expect((await cache.sweep()).entries).toBe(1);
  });
});
