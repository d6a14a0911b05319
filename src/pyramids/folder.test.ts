import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { OpenFiles } from "../sources/open-files.ts";
import type { PageFacts } from "./facts.ts";
import { PyramidFolder } from "./folder.ts";
import { pyramidName } from "./names.ts";
import { type ListedPyramid, retryMs } from "./store.ts";

const { signal } = new AbortController();
const isDone = async (): Promise<boolean> => false;

const nameOf = (identifier: string, version = "1", page = 0): string =>
  pyramidName({ identifier, version, page });

const factsOf = (identifier: string): PageFacts => ({
  ...{ identifier, page: 1, size: { width: 300, height: 200 }, sourceBytes: 1_234 },
  made: new Date(1_700_000_000_000),
});

const opened = async () => {
  const root = await temporaryFolder();
  const folder = join(root, "pyramids");
  const files = new OpenFiles(() => ({ max: 0, idleMs: 1_000 }));
  const store = new PyramidFolder(folder, files);
  const pathOf = (name: string, ending = ".tif"): string =>
    join(folder, name.slice(0, 2), `${name}${ending}`);
  const age = async (path: string, seconds: number): Promise<void> => {
    const at = Date.now() / 1_000 - seconds;
    await utimes(path, at, at);
  };
  /** Stores a pyramid of so many bytes, last used so many seconds ago. */
  const put = async (
    identifier: string,
    { bytes = 10, unused = 0, version = "1" } = {},
  ): Promise<string> => {
    const name = nameOf(identifier, version);
    const file = join(root, "made");
    await writeFile(file, Buffer.alloc(bytes));
    const lock = await store.lock(name, { isDone, signal });
    if (lock === undefined) throw new Error("Expected the lock.");
    expect(await store.put({ name, file, facts: factsOf(identifier), lock }, signal)).toBe(true);
    await lock.release();
    if (unused > 0) await age(pathOf(name), unused);
    return name;
  };
  const all = async (after = ""): Promise<readonly ListedPyramid[]> => {
    const found: ListedPyramid[] = [];
    for await (const one of store.list(after, signal)) found.push(one);
    return found;
  };
  return { root, folder, store, pathOf, age, put, all };
};

describe("a pyramid's name", () => {
  it("differs by image, version and page", () => {
    const names = [nameOf("a"), nameOf("b"), nameOf("a", "2"), nameOf("a", "1", 1)];
    expect(new Set(names).size).toBe(4);
    expect(nameOf("a")).toBe(nameOf("a"));
    expect(nameOf("../../etc/passwd")).toMatch(/^[0-9a-f]{32}-[0-9a-f]{32}$/);
  });
});

describe("a folder of pyramids", () => {
  it("is empty, and not created, until one is made", async () => {
    const { root, store, all } = await opened();
    expect(await store.look(nameOf("a"))).toBeUndefined();
    expect(await store.state(signal)).toEqual({ entries: 0, bytes: 0, failed: 0 });
    expect(await store.sweep({ maxBytes: 0, ttlMs: 0, signal })).toEqual({ entries: 0, bytes: 0 });
    expect(await all()).toEqual([]);
    expect(await readdir(root)).toEqual([]);
  });

  it("records the use of a pyramid without changing its version", async () => {
    const { store, put, pathOf } = await opened();
    const name = await put("a");
    const before = await store.look(name);
    if (before?.kind !== "ready") throw new Error("Expected a pyramid.");
    const { mtimeMs } = await stat(pathOf(name));
    await utimes(pathOf(name), 1_000, mtimeMs / 1_000);
    await before.pyramid.use();
    expect((await stat(pathOf(name))).atimeMs).toBeGreaterThan(Date.now() - 60_000);
    const after = await store.look(name);
    if (after?.kind !== "ready") throw new Error("Expected a pyramid.");
    expect(after.pyramid.object.version).toBe(before.pyramid.object.version);
  });

  it("lists pyramids and refusals with their pages, in pages", async () => {
    const { store, put, all } = await opened();
    for (const identifier of ["a", "b", "c"]) await put(identifier);
    const facts = { ...factsOf("d"), reason: "It is corrupt." };
    await store.refuse(nameOf("d"), facts, signal);
    const listed = await all();
    expect(listed.map(({ name }) => name)).toEqual(
      ["a", "b", "c", "d"].map((id) => nameOf(id)).sort(),
    );
    for (const one of listed) {
      const found = await store.facts(one);
      expect(nameOf(found?.identifier ?? "")).toBe(one.name);
      expect(found).toMatchObject({ page: 1, size: { width: 300, height: 200 } });
      expect(found?.reason).toBe(one.kind === "refusal" ? "It is corrupt." : undefined);
    }
    expect(await all(listed[1]?.name)).toEqual(listed.slice(2));
  });

  it("keeps the reason of a failure for a day", async () => {
    const { store, pathOf, age, all } = await opened();
    const name = nameOf("a");
    await store.refuse(name, { ...factsOf("a"), reason: "It is corrupt." }, signal);
    expect(await store.look(name)).toEqual({ kind: "refused", reason: "It is corrupt." });
    await age(pathOf(name, ".failed"), retryMs / 1_000 + 1);
    expect(await store.look(name)).toBeUndefined();
    expect(await all()).toEqual([]);
  });

  it("forgets a failure once there is a pyramid", async () => {
    const { store, put } = await opened();
    await store.refuse(nameOf("a"), { ...factsOf("a"), reason: "It is corrupt." }, signal);
    await put("a");
    expect(await store.look(nameOf("a"))).toMatchObject({ kind: "ready" });
    expect((await store.state(signal)).failed).toBe(0);
  });

  it("removes all of one image and nothing else", async () => {
    const { store, put, folder } = await opened();
    await put("a");
    await put("a", { version: "2" });
    await put("b");
    await store.refuse(nameOf("a", "3"), { ...factsOf("a"), reason: "It is corrupt." }, signal);
    expect(await store.remove("a", signal)).toEqual({ entries: 2, bytes: 20 });
    expect(await store.state(signal)).toEqual({ entries: 1, bytes: 10, failed: 0 });
    expect(await store.remove(undefined, signal)).toEqual({ entries: 1, bytes: 10 });
    const left = await readdir(folder, { recursive: true });
    expect(left.filter((name) => name.includes("."))).toEqual([]);
  });

  it("stores nothing that was purged while it was made", async () => {
    const { root, store, all } = await opened();
    const name = nameOf("a");
    const lock = await store.lock(name, { isDone, signal });
    if (lock === undefined) throw new Error("Expected the lock.");
    const file = join(root, "made");
    await writeFile(file, "a pyramid");
    await store.remove("a", signal);
    expect(await store.put({ name, file, facts: factsOf("a"), lock }, signal)).toBe(false);
    expect(await all()).toEqual([]);
    expect(await store.look(name)).toBeUndefined();
  });

  it("gives a lock to one at a time", async () => {
    const { store } = await opened();
    const first = await store.lock(nameOf("a"), { isDone, signal });
    expect(await store.lock(nameOf("a"), { isDone: async () => true, signal })).toBeUndefined();
    await first?.release();
    const second = await store.lock(nameOf("a"), { isDone, signal });
    expect(await second?.isHeld()).toBe(true);
    expect(await first?.isHeld()).toBe(false);
    await second?.release();
  });

  it("evicts the least recently used pyramids until the rest fits", async () => {
    const { store, put, all, folder } = await opened();
    const old = await put("old", { unused: 300 });
    await put("new", { unused: 100 });
    const middle = await put("middle", { unused: 200 });
    const removed = await store.sweep({ maxBytes: 20, ttlMs: 0, signal });
    expect(removed).toEqual({ entries: 1, bytes: 10 });
    expect(await store.look(old)).toBeUndefined();
    const unused = await store.sweep({ maxBytes: 20, ttlMs: 150_000, signal });
    expect(unused).toEqual({ entries: 1, bytes: 10 });
    expect(await store.look(middle)).toBeUndefined();
    expect(await all()).toHaveLength(1);
    expect(await readdir(folder, { recursive: true })).not.toContain(
      `${old.slice(0, 2)}/${old}.json`,
    );
  });

  it("removes abandoned temporary files, and no files of others", async () => {
    const { folder, store, put, pathOf, age } = await opened();
    const name = await put("a");
    const gone = await put("b");
    await rm(pathOf(gone));
    const left = [pathOf(name, `.json.${"0".repeat(16)}.tmp`), pathOf(name, ".lock")];
    const notes = join(folder, name.slice(0, 2), "notes.txt");
    for (const path of [...left, notes]) await writeFile(path, "");
    for (const path of [...left, notes, pathOf(name, ".json"), pathOf(gone, ".json")])
      await age(path, 10_000);
    await mkdir(join(folder, "other"));
    await store.sweep({ maxBytes: 1_000, ttlMs: 0, signal });
    const kept = (await readdir(folder, { recursive: true })).filter((one) => one.includes("."));
    const shard = name.slice(0, 2);
    expect(kept.sort()).toEqual(
      [`${shard}/${name}.json`, `${shard}/${name}.tif`, `${shard}/notes.txt`].sort(),
    );
  });

  it("skips damaged facts", async () => {
    const { store, put, pathOf, all } = await opened();
    const name = await put("a");
    await writeFile(pathOf(name, ".json"), '{"identifier": 7');
    const [listed] = await all();
    expect(listed && (await store.facts(listed))).toBeUndefined();
    expect(await store.look(name)).toMatchObject({ kind: "ready" });
  });
});
