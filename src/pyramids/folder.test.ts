import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { PyramidFolder, pyramidName, retryMs } from "./folder.ts";

const { signal } = new AbortController();

const nameOf = (identifier: string, version = "1", page = 0): string =>
  pyramidName({ identifier, version, page });

/** Writes a pyramid of so many bytes, last used so many seconds ago. */
const put = async (
  folder: PyramidFolder,
  name: string,
  { bytes = 10, unused = 0 }: { readonly bytes?: number; readonly unused?: number } = {},
): Promise<void> => {
  await folder.prepare(name);
  await writeFile(folder.path(name), Buffer.alloc(bytes));
  const used = Date.now() / 1_000 - unused;
  await utimes(folder.path(name), used, used);
};

const opened = async () => {
  const root = await temporaryFolder();
  return { root, folder: new PyramidFolder(join(root, "pyramids")) };
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
    const { root, folder } = await opened();
    expect(await folder.find(nameOf("a"))).toBeUndefined();
    expect(await folder.failure(nameOf("a"))).toBeUndefined();
    expect(await folder.state(signal)).toEqual({ entries: 0, bytes: 0, failed: 0 });
    expect(await folder.sweep({ maxBytes: 0, ttlMs: 0, signal })).toEqual({ entries: 0, bytes: 0 });
    expect(await readdir(root)).toEqual([]);
  });

  it("records the use of a pyramid without changing its version", async () => {
    const { folder } = await opened();
    await put(folder, nameOf("a"), { unused: 5_000 });
    await folder.finish(nameOf("a"));
    const before = await folder.find(nameOf("a"));
    if (before === undefined) throw new Error("Expected a pyramid.");
    await utimes(before.path, 1_000, before.modified / 1_000);
    await folder.use(before);
    expect((await stat(before.path)).atimeMs).toBeGreaterThan(Date.now() - 60_000);
    expect(await folder.find(nameOf("a"))).toEqual(before);
  });

  it("keeps the reason of a failure for a day", async () => {
    const { folder } = await opened();
    await folder.recordFailure(nameOf("a"), "It is corrupt.");
    expect(await folder.failure(nameOf("a"))).toBe("It is corrupt.");
    const path = folder.path(nameOf("a")).replace(/tif$/, "failed");
    const old = (Date.now() - retryMs) / 1_000 - 1;
    await utimes(path, old, old);
    expect(await folder.failure(nameOf("a"))).toBeUndefined();
  });

  it("removes all of one image and nothing else", async () => {
    const { folder } = await opened();
    for (const name of [nameOf("a"), nameOf("a", "2"), nameOf("b")]) await put(folder, name);
    await folder.recordFailure(nameOf("a", "3"), "It is corrupt.");
    expect(await folder.remove("a", signal)).toEqual({ entries: 2, bytes: 20 });
    expect(await folder.state(signal)).toEqual({ entries: 1, bytes: 10, failed: 0 });
    expect(await folder.remove(undefined, signal)).toEqual({ entries: 1, bytes: 10 });
  });

  it("evicts the least recently used pyramids until the rest fits", async () => {
    const { folder } = await opened();
    await put(folder, nameOf("old"), { unused: 300 });
    await put(folder, nameOf("new"), { unused: 100 });
    await put(folder, nameOf("middle"), { unused: 200 });
    const removed = await folder.sweep({ maxBytes: 20, ttlMs: 0, signal });
    expect(removed).toEqual({ entries: 1, bytes: 10 });
    expect(await folder.find(nameOf("old"))).toBeUndefined();
    expect(await folder.find(nameOf("new"))).toBeDefined();
    const unused = await folder.sweep({ maxBytes: 20, ttlMs: 150_000, signal });
    expect(unused).toEqual({ entries: 1, bytes: 10 });
    expect(await folder.find(nameOf("middle"))).toBeUndefined();
  });

  it("removes abandoned temporary files, and no files of others", async () => {
    const { folder } = await opened();
    const name = nameOf("a");
    await folder.prepare(name);
    const shard = dirname(folder.path(name));
    const left = [`.${name}.tif.4711.part`, `.${name}.tif.4711.aside.0`, `${name}.lock`];
    const old = Date.now() / 1_000 - 10_000;
    for (const file of [...left, "notes.txt"]) {
      await writeFile(join(shard, file), "");
      await utimes(join(shard, file), old, old);
    }
    await writeFile(join(shard, `.${name}.tif.4712.part`), "being written");
    await mkdir(join(dirname(shard), "other"));
    await folder.sweep({ maxBytes: 1_000, ttlMs: 0, signal });
    expect((await readdir(shard)).sort()).toEqual([`.${name}.tif.4712.part`, "notes.txt"].sort());
  });
});
