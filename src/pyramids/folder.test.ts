import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  listedIn,
  nameOf,
  putPyramid,
  pyramidStoreContract,
  refusePyramid,
} from "../../test/contract/pyramid-store.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { OpenFiles } from "../sources/open-files.ts";
import { PyramidFolder } from "./folder.ts";
import { retryMs } from "./store.ts";

const { signal } = new AbortController();

const openedIn = (folder: string): PyramidFolder =>
  new PyramidFolder(folder, new OpenFiles(() => ({ max: 0, idleMs: 1_000 })));

pyramidStoreContract("a folder", async () => {
  const folder = join(await temporaryFolder(), "pyramids");
  return async () => openedIn(folder);
});

const opened = async () => {
  const root = await temporaryFolder();
  const folder = join(root, "pyramids");
  const pathOf = (name: string, ending = ".tif"): string =>
    join(folder, name.slice(0, 2), `${name}${ending}`);
  return { root, folder, store: openedIn(folder), pathOf };
};

/** Sets the last use of a file to so many seconds ago. */
const age = async (path: string, seconds: number): Promise<void> => {
  const at = Date.now() / 1_000 - seconds;
  await utimes(path, at, at);
};

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).filter((one) => one.includes(".")).sort();

describe("a pyramid's name", () => {
  it("differs by image, version and page", () => {
    const names = [nameOf("a"), nameOf("b"), nameOf("a", "2"), nameOf("a", "1", 1)];
    expect(new Set(names).size).toBe(4);
    expect(nameOf("a")).toBe(nameOf("a"));
    expect(nameOf("../../etc/passwd")).toMatch(/^[0-9a-f]{32}-[0-9a-f]{32}$/);
  });
});

describe("a folder of pyramids", () => {
  it("is not created until one is made", async () => {
    const { root, store } = await opened();
    expect(await store.look(nameOf("a"))).toBeUndefined();
    expect(await store.sweep({ maxBytes: 0, ttlMs: 0, signal })).toEqual({ entries: 0, bytes: 0 });
    expect(await readdir(root)).toEqual([]);
  });

  it("records the use of a pyramid without changing its version", async () => {
    const { store, pathOf } = await opened();
    const name = await putPyramid(store, "a");
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

  it("keeps the reason for a refusal for a day", async () => {
    const { store, pathOf } = await opened();
    const name = await refusePyramid(store, "a");
    expect(await store.look(name)).toEqual({ kind: "refused", reason: "It is corrupt." });
    await age(pathOf(name, ".failed"), retryMs / 1_000 + 1);
    expect(await store.look(name)).toBeUndefined();
    expect(await listedIn(store)).toEqual([]);
  });

  it("removes all files of a pyramid", async () => {
    const { store, folder } = await opened();
    await putPyramid(store, "a");
    await refusePyramid(store, "b");
    await store.remove(undefined, signal);
    expect(await filesIn(folder)).toEqual([]);
  });

  it("evicts the least recently used pyramids, and those unused for too long", async () => {
    const { store, folder, pathOf } = await opened();
    const old = await putPyramid(store, "old");
    const recent = await putPyramid(store, "new");
    const middle = await putPyramid(store, "middle");
    await age(pathOf(old), 300);
    await age(pathOf(recent), 100);
    await age(pathOf(middle), 200);
    await store.sweep({ maxBytes: 20, ttlMs: 0, signal });
    expect(await store.look(old)).toBeUndefined();
    expect(await filesIn(folder)).not.toContain(`${old.slice(0, 2)}/${old}.json`);
    const unused = await store.sweep({ maxBytes: 20, ttlMs: 150_000, signal });
    expect(unused).toEqual({ entries: 1, bytes: 10 });
    expect((await listedIn(store)).map(({ name }) => name)).toEqual([recent]);
  });

  it("removes abandoned temporary files, but no other files", async () => {
    const { folder, store, pathOf } = await opened();
    const name = await putPyramid(store, "a");
    const gone = await putPyramid(store, "b");
    await rm(pathOf(gone));
    const left = [pathOf(name, `.json.${"0".repeat(16)}.tmp`), pathOf(name, ".lock")];
    const notes = join(folder, name.slice(0, 2), "notes.txt");
    for (const path of [...left, notes]) await writeFile(path, "");
    for (const path of [...left, notes, pathOf(name, ".json"), pathOf(gone, ".json")])
      await age(path, 10_000);
    await mkdir(join(folder, "other"));
    await store.sweep({ maxBytes: 1_000, ttlMs: 0, signal });
    const shard = name.slice(0, 2);
    expect(await filesIn(folder)).toEqual(
      [`${shard}/${name}.json`, `${shard}/${name}.tif`, `${shard}/notes.txt`].sort(),
    );
  });

  it("skips damaged facts", async () => {
    const { store, pathOf } = await opened();
    const name = await putPyramid(store, "a");
    await writeFile(pathOf(name, ".json"), '{"identifier": 7');
    const [listed] = await listedIn(store);
    expect(listed && (await store.facts(listed))).toBeUndefined();
    expect(await store.look(name)).toMatchObject({ kind: "ready" });
  });
});
