import { readdir, readFile, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { silent } from "../core/log.ts";
import { createMemory, type MemoryCache, type MemoryLimits } from "./memory.ts";
import { persisted } from "./persist.ts";

const name = (n: number): string => `info/${n.toString(16).padStart(32, "0")}`;
const body = (n: number): Uint8Array => new Uint8Array(1_000).fill(n);

const open = (
  path: string,
  { log = silent, ...limits }: Partial<MemoryLimits> & { readonly log?: typeof silent } = {},
): Promise<MemoryCache> =>
  persisted(createMemory({ bytes: 1 << 20, ...limits }), { path, closingMs: 30_000, log });

/** Writes a file of entries 0 to 19, of which 0 was used last. */
const filled = async (): Promise<string> => {
  const path = join(await temporaryFolder(), "made", "heap.cache");
  const cache = await open(path);
  for (let n = 0; n < 20; n++) await cache.put(name(n), body(n));
  await cache.get(name(0));
  await cache.close();
  return path;
};

const found = async (cache: MemoryCache): Promise<readonly number[]> => {
  const names = new Set(cache.names());
  return Array.from({ length: 20 }, (_, n) => n).filter((n) => names.has(name(n)));
};

describe("memory that outlives the process", () => {
  it("restores its entries in the order of use", async () => {
    const path = await filled();
    const cache = await open(path);
    expect(await found(cache)).toHaveLength(20);
    expect((await cache.get(name(7)))?.body).toEqual(body(7));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const order = (await open(path)).names();
    expect(order.slice(0, 3)).toEqual([name(0), name(19), name(18)]);
  });

  it("reports when an entry was put", async () => {
    const path = join(await temporaryFolder(), "heap.cache");
    const cache = await open(path);
    await cache.put(name(1), body(1));
    const storedAt = (await cache.get(name(1)))?.storedAt;
    await cache.close();
    expect((await (await open(path)).get(name(1)))?.storedAt).toEqual(storedAt);
  });

  it("is still full after a sweep that wrote it", async () => {
    const path = join(await temporaryFolder(), "heap.cache");
    const cache = await open(path);
    for (let n = 0; n < 20; n++) await cache.put(name(n), body(n));
    await cache.sweep();
    expect(await found(cache)).toHaveLength(20);
    expect(await found(await open(path))).toHaveLength(20);
  });

  it("keeps the most recently used where there is less room than before", async () => {
    const cache = await open(await filled(), { bytes: 8_000 });
    const kept = await found(cache);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    expect(kept.length).toBeLessThanOrEqual(8);
    expect(kept).toEqual([
      0,
      ...Array.from({ length: kept.length - 1 }, (_, n) => 21 - kept.length + n),
    ]);
  });

  it("drops expired entries, counting the time without a server", async () => {
    const path = join(await temporaryFolder(), "heap.cache");
    const ttlMs = 60_000;
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000_000 });
    try {
      const cache = await open(path, { ttlMs });
      await cache.put(name(1), body(1));
      await cache.close();
      vi.setSystemTime(1_000_059_000);
      expect(await found(await open(path, { ttlMs }))).toEqual([1]);
      vi.setSystemTime(1_000_061_000);
      expect(await found(await open(path, { ttlMs }))).toEqual([]);
      expect(await found(await open(path))).toEqual([1]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("writes only what has changed", async () => {
    const path = await filled();
    await utimes(path, 0, 0);
    const cache = await open(path);
    await cache.get(name(1));
    await cache.sweep();
    await cache.close();
    expect((await stat(path)).mtimeMs).toBe(0);
    const again = await open(path);
    await again.remove(name(1));
    await again.close();
    expect(await found(await open(path))).not.toContain(1);
  });

  it("loses only the corrupt end of a file", async () => {
    const path = await filled();
    await truncate(path, (await stat(path)).size - 2_500);
    const warn = vi.fn();
    const cache = await open(path, { log: { ...silent, warn } });
    expect(await found(cache)).toHaveLength(17);
    expect(warn).toHaveBeenCalledOnce();
    expect(cache.names()[0]).toBe(name(0));
  });

  it("loses only the corrupt entry", async () => {
    const path = await filled();
    const bytes = await readFile(path);
    const at = bytes.indexOf(Buffer.from(body(9)));
    bytes[at + 500] = 1;
    await writeFile(path, bytes);
    expect(await found(await open(path))).toEqual(
      Array.from({ length: 20 }, (_, n) => n).filter((n) => n !== 9),
    );
  });

  it("keeps the previous file where there is no time to write it", async () => {
    const path = await filled();
    const warn = vi.fn();
    const cache = await persisted(createMemory({ bytes: 1 << 28 }), {
      path,
      closingMs: 0,
      log: { ...silent, warn },
    });
    for (let n = 20; n < 100; n++) await cache.put(name(n), new Uint8Array(1_000_000));
    await cache.close();
    expect(warn).toHaveBeenCalledOnce();
    expect(await found(await open(path))).toHaveLength(20);
    expect(await readdir(join(path, ".."))).toEqual(["heap.cache"]);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["something else", Buffer.from("not what was meant")],
    ["a claim of too much", Buffer.concat([Buffer.from("VTRHEAP1"), Buffer.alloc(4_000, 255)])],
  ])("starts empty where the file contains %s", async (_, bytes) => {
    const path = join(await temporaryFolder(), "heap.cache");
    await writeFile(path, bytes);
    const cache = await open(path);
    expect(await found(cache)).toEqual([]);
    await cache.put(name(3), body(3));
    await cache.close();
    expect(await found(await open(path))).toEqual([3]);
  });

  it("starts, and stops, without a usable file, and reports that", async () => {
    const folder = await temporaryFolder({ file: "" });
    const warn = vi.fn();
    const cache = await open(join(folder, "file", "heap.cache"), { log: { ...silent, warn } });
    await cache.put(name(1), body(1));
    await expect(cache.sweep()).rejects.toThrow();
    await cache.close();
    expect(warn).toHaveBeenCalledOnce();
    const pathless = await open(folder, { log: { ...silent, warn } });
    await pathless.close();
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it("removes files of dead writers", async () => {
    const path = await filled();
    const [dead, theirs] = [`${path}.0123456789abcdef.tmp`, `${path}.bak`];
    for (const file of [dead, theirs]) {
      await writeFile(file, "half");
      await utimes(file, 0, 0);
    }
    await open(path);
    const files = await readdir(join(path, ".."));
    expect(files.sort()).toEqual(["heap.cache", "heap.cache.bak"]);
  });
});
