import { mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SourceChanged } from "../core/range-reader.ts";
import { fileReader } from "./file-reader.ts";
import { OpenFiles, versionOf } from "./open-files.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-open-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const found = async (path: string) => {
  const stats = await stat(path, { bigint: true });
  return { path, size: Number(stats.size), version: versionOf(stats) };
};

const store = async (name: string, text: string): Promise<string> => {
  const path = join(home, name);
  await writeFile(path, text);
  return path;
};

const pool = (max = 8): OpenFiles => new OpenFiles(() => ({ max, idleMs: 60_000 }));

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/**
 * Files of the test folder that the process has open; undefined where that cannot be determined.
 */
const openHere = async (): Promise<number | undefined> => {
  const links = await readdir("/proc/self/fd").catch(() => undefined);
  if (links === undefined) return undefined;
  const { readlink } = await import("node:fs/promises");
  const targets = await Promise.all(
    links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => "")),
  );
  return targets.filter((target) => target.startsWith(home)).length;
};

describe("open files", () => {
  it("share one descriptor among concurrent and later readers", async () => {
    const path = await store("shared", "abcdefgh");
    const files = pool();
    const file = await found(path);
    const readers = Array.from({ length: 20 }, () => fileReader(file, files));
    const parts = await Promise.all(readers.map((reader, at) => reader.read(at % 8, 1)));
    expect(parts.map(text).join("")).toBe("abcdefghabcdefghabcd");
    expect([1, undefined]).toContain(await openHere());
    await Promise.all(readers.map((reader) => reader.close()));
    expect(files.size).toBe(1);
    files.close();
    expect(files.size).toBe(0);
  });

  it("are closed above the limit once unused, the least recently used first", async () => {
    const files = pool(3);
    const paths = await Promise.all(
      Array.from({ length: 9 }, (_, n) => store(`bounded-${n}`, String(n))),
    );
    const readers = await Promise.all(
      paths.map(async (path) => fileReader(await found(path), files)),
    );
    for (const reader of readers) await reader.read(0, 1);
    for (const reader of readers) await reader.close();
    expect(files.size).toBe(3);
    const last = fileReader(await found(paths[8] ?? ""), files);
    expect(text(await last.read(0, 1))).toBe("8");
    expect(files.size).toBe(3);
    files.close();
  });

  it("work for a caller even if none may be kept open", async () => {
    const files = pool(0);
    const file = await found(await store("none", "xyz"));
    const readers = Array.from({ length: 5 }, () => fileReader(file, files));
    const parts = await Promise.all(readers.map((reader) => reader.read(0, 3)));
    expect(parts.map(text)).toEqual(["xyz", "xyz", "xyz", "xyz", "xyz"]);
    for (const reader of readers) await reader.close();
    expect(files.size).toBe(0);
  });

  it("never return bytes of an overwritten file", async () => {
    const path = await store("over", "old old old");
    const files = pool();
    const reader = fileReader(await found(path), files);
    expect(text(await reader.read(0, 3))).toBe("old");
    await writeFile(path, "new new new new");
    await expect(reader.read(4, 3)).rejects.toThrow(SourceChanged);
    await reader.close();
    const fresh = fileReader(await found(path), files);
    expect(text(await fresh.read(4, 3))).toBe("new");
    await fresh.close();
    files.close();
  });

  it("return the old file completely to a caller that opened it before it was replaced", async () => {
    const path = await store("name", "old old old");
    const files = pool();
    const before = await found(path);
    const reader = fileReader(before, files);
    await reader.read(0, 3);
    await writeFile(`${path}.new`, "new new new");
    await rename(`${path}.new`, path);
    expect(text(await reader.read(4, 3))).toBe("old");
    const fresh = fileReader(await found(path), files);
    expect(text(await fresh.read(4, 3))).toBe("new");
    // A caller that expects the old version without holding it gets an error.
    await reader.close();
    await expect(fileReader(before, files).read(0, 3)).rejects.toThrow(SourceChanged);
    await fresh.close();
    expect(files.size).toBe(1);
    files.close();
  });

  it("detect that the path leads to another file now", async () => {
    const path = await store("path", "old");
    const files = pool();
    const untouched = fileReader(await found(path), files);
    const reader = fileReader(await found(path), files);
    expect(reader.path).toBe(path);
    await reader.check?.();
    await writeFile(path, "newer");
    await expect(reader.check?.()).rejects.toThrow(SourceChanged);
    await untouched.check?.();
    files.close();
  });

  it("treat an early end of the file as a change", async () => {
    const path = await store("short", "0123456789");
    const files = pool();
    const reader = fileReader({ ...(await found(path)), size: 20 }, files);
    await expect(reader.read(5, 10)).rejects.toThrow(SourceChanged);
    files.close();
  });
});
