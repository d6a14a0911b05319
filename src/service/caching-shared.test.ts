import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { Cache } from "../caches/cache.ts";
import { derivativeName, infoName } from "../caches/names.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { imageHash } from "../core/plan.ts";
import { createDerivatives, type Derivatives } from "./caching.ts";
import { createPurging, type Purging } from "./purging.ts";

const signal = new AbortController().signal;
const picture = (identifier: string, n = 1): string =>
  derivativeName(`${imageHash(identifier)}/${`${n}`.repeat(32)}`);
const one = new Uint8Array([1]);

/** A server's cache in a folder, with purging that applies other servers' purges. */
const server = async (
  folder: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Derivatives & { readonly purging: Purging }> => {
  const config = new Config({
    "cache.server.derivative.enabled": true,
    "cache.server.derivative": "FilesystemCache",
    "FilesystemCache.pathname": folder,
    ...settings,
  });
  const derivatives = await createDerivatives(config, silent, { lookMs: 1 });
  if (!derivatives?.back) throw new Error("Expected a cache outside the process");
  onTestFinished(() => derivatives.cache.close());
  const purging = createPurging({ cache: derivatives.cache, shared: derivatives.back });
  derivatives.back.purges.onPurge((scopes) => void purging.follow(scopes));
  return { ...derivatives, purging };
};

const written = async (cache: Cache, name: string): Promise<void> => {
  await cache.put(name, one);
  await vi.waitFor(async () => expect((await cache.stats()).entries).toBeGreaterThan(0));
};

describe("servers that share a cache", () => {
  it("drop an image from memory when another one purges it, and no other image", async () => {
    const folder = await temporaryFolder();
    const [mine, theirs] = [await server(folder), await server(folder)];
    await written(mine.cache, picture("a"));
    await written(mine.cache, picture("b", 2));
    await vi.waitFor(async () => expect((await mine.cache.stats()).entries).toBe(2));
    for (const identifier of ["a", "b"])
      await theirs.cache.get(picture(identifier, identifier === "a" ? 1 : 2));
    expect(theirs.cache.near?.(picture("a"))).toBeDefined();
    expect(await mine.purging.image("a")).toBe(1);
    await vi.waitFor(() => expect(theirs.cache.near?.(picture("a"))).toBeUndefined());
    expect(await theirs.cache.get(picture("a"))).toBeUndefined();
    expect(theirs.cache.near?.(picture("b", 2))).toBeDefined();
  });

  it("treat purged entries as gone before they are removed, and forget that once they are stored again", async () => {
    const folder = await temporaryFolder();
    const [mine, theirs] = [await server(folder), await server(folder)];
    for (const name of [picture("a"), infoName("a"), picture("b", 2)])
      await written(mine.cache, name);
    // Purges also drop queued writes.
    await vi.waitFor(() => expect(mine.back?.backlog.entries).toBe(0));
    expect((await mine.cache.stats()).entries).toBe(3);
    await theirs.cache.get(picture("a"));
    await mine.back?.purges.begin([{ image: "a" }], signal);
    await vi.waitFor(() => expect(theirs.cache.near?.(picture("a"))).toBeUndefined());
    for (const name of [picture("a"), infoName("a")])
      expect(await theirs.cache.get(name)).toBeUndefined();
    expect(await theirs.cache.get(picture("b", 2))).toBeDefined();
    expect((await mine.cache.stats()).entries).toBe(3);
  });

  it("complete the purge of a dead process when they sweep", async () => {
    const folder = await temporaryFolder();
    const mine = await server(folder);
    await written(mine.cache, picture("a"));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    await mine.back?.purges.begin([{ image: "a" }], signal);
    vi.useRealTimers();
    await mine.cache.sweep();
    expect((await mine.cache.stats()).entries).toBe(0);
  });
});
