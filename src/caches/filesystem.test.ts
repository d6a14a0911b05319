import { execFile } from "node:child_process";
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { storeContract } from "../../test/contract/store.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { filesystemCache } from "./filesystem.ts";
import { fileOf, folderOf } from "./filesystem-paths.ts";
import type { Bounds, Store } from "./store.ts";

const run = promisify(execFile);
const signal = new AbortController().signal;
const unbounded: Bounds = { bytes: 0, entries: 0 };
const name = (n: number): string =>
  `image/${n.toString(16).padStart(32, "a")}/${n.toString(16).padStart(32, "b")}`;
const pathOf = (folder: string, entry: string): string =>
  join(folder, folderOf(entry, [2, 1]), fileOf(entry));

const configOf = (folder: string, dir: { readonly depth: number } = { depth: 3 }): Config =>
  new Config({ "FilesystemCache.pathname": folder, "FilesystemCache.dir.depth": dir.depth });

const open = async (folder: string, bounds = unbounded): Promise<Store> => {
  const store = await filesystemCache.open(configOf(folder), { ttlMs: 0, bounds, log: silent });
  onTestFinished(() => store.close());
  return store;
};

const contractOn = (kind: string, depth: number): void =>
  storeContract(kind, async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-cache-"));
    const config = configOf(join(folder, "made", "by itself"), { depth });
    return {
      open: (context) => filesystemCache.open(config, context),
      timeStep: 50,
      remove: () => rm(folder, { recursive: true }),
    };
  });

contractOn("FilesystemCache", 3);
contractOn("FilesystemCache without folders", 0);

describe("the bounds of a cache in the file system", () => {
  const put = async (store: Store, from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) await store.put(name(n), new Uint8Array(10_000), signal);
  };

  it("are met by writes alone, with several writers", async () => {
    const folder = await temporaryFolder();
    const bounds = { bytes: 200_000, entries: 0 };
    const [one, other] = [await open(folder, bounds), await open(folder, bounds)];
    await Promise.all([put(one, 0, 100), put(other, 100, 200)]);
    const { bytes } = await one.stats(signal);
    // One more that each of the two was just writing, and the ledger's rounding to KiB.
    expect(bytes).toBeLessThanOrEqual(230_000);
    expect(bytes).toBeGreaterThanOrEqual(150_000);
  });

  it("apply to existing entries, without listing them at startup", async () => {
    const folder = await temporaryFolder();
    await put(await open(folder), 0, 60);
    for (const bytes of [400_000, 200_000, 100_000]) {
      const store = await open(folder, { bytes, entries: 0 });
      await put(store, 60, 64);
      await vi.waitFor(
        async () => expect((await store.stats(signal)).bytes).toBeLessThanOrEqual(bytes),
        { timeout: 10_000 },
      );
      expect(await store.get(name(63), signal)).toBeDefined();
    }
  });

  it("apply after a time without bounds", async () => {
    const folder = await temporaryFolder();
    const bounds = { bytes: 0, entries: 20 };
    await put(await open(folder, bounds), 0, 15);
    await put(await open(folder), 15, 60);
    const store = await open(folder, bounds);
    await put(store, 60, 62);
    await vi.waitFor(
      async () => expect((await store.stats(signal)).entries).toBeLessThanOrEqual(20),
      { timeout: 10_000 },
    );
  });

  it("reject entries that would evict a quarter of the rest", async () => {
    const store = await open(await temporaryFolder(), { bytes: 100_000, entries: 0 });
    await store.put(name(1), new Uint8Array(25_001), signal);
    await store.put(name(2), new Uint8Array(25_000), signal);
    expect(await store.get(name(1), signal)).toBeUndefined();
    expect(await store.get(name(2), signal)).toBeDefined();
  });

  it("apply when the folder is cleared by hand meanwhile", async () => {
    const folder = await temporaryFolder();
    const store = await open(folder, { bytes: 200_000, entries: 0 });
    await put(store, 0, 15);
    for (const child of await readdir(folder)) await rm(join(folder, child), { recursive: true });
    await put(store, 15, 60);
    await vi.waitFor(async () =>
      expect((await store.stats(signal)).bytes).toBeLessThanOrEqual(200_000),
    );
    expect(await store.get(name(59), signal)).toBeDefined();
  });
});

describe("the folder of a cache", () => {
  it.each(["", "a file"])("is rejected with a message where it is not one: '%s'", async (child) => {
    const folder = await temporaryFolder({ "a file": "" });
    await expect(open(child && join(folder, child))).rejects.toMatchObject({
      failure: "malformed",
      message: expect.stringMatching(/^FilesystemCache\.pathname: expected a folder that can be/),
    });
  });

  it("may not be read by others", async () => {
    const folder = join(await temporaryFolder(), "cache");
    const store = await open(folder, { bytes: 1_000_000, entries: 0 });
    await store.put(name(1), new Uint8Array(10), signal);
    await store.close();
    for (const child of ["", ...(await readdir(folder, { recursive: true }))]) {
      const stats = await stat(join(folder, child));
      expect([child, stats.mode & 0o777]).toEqual([child, stats.isFile() ? 0o600 : 0o700]);
    }
  });

  it("keeps everything that no server wrote, through purging and sweeping", async () => {
    const folder = await temporaryFolder();
    const store = await open(folder);
    await store.put(name(1), new Uint8Array(10), signal);
    const inside = dirname(pathOf(folder, name(1)));
    const foreign = [
      join(folder, "notes.txt"),
      join(folder, "image", "thumbs.db"),
      join(inside, `${"c".repeat(32)}_${"d".repeat(32)}.jpg`),
      join(inside, "x.0123456789abcdef.tmp"),
      join(folder, "info", "ab", "cd.json"),
      join(folder, "source", "ab", "e".repeat(32)),
    ];
    for (const path of foreign) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, "theirs");
      await utimes(path, 0, 0);
    }
    const socket = createServer().listen(join(inside, "socket"));
    await new Promise((resolve) => socket.once("listening", resolve));
    onTestFinished(() => new Promise((resolve) => socket.close(() => resolve())));
    await store.sweep({ before: new Date(), bounds: { bytes: 1, entries: 1 } }, signal);
    for (const prefix of ["", "image/", "info/", `image/${"c".repeat(32)}/`])
      await store.remove(prefix, signal);
    for (const path of [...foreign, join(inside, "socket")])
      expect(await lstat(path)).toBeDefined();
    expect(await store.get(name(1), signal)).toBeUndefined();
  });

  it("is not left by names", async () => {
    const store = await open(join(await temporaryFolder(), "cache"));
    for (const wrong of ["image/../../../x", "../x", "", "x", `${name(1)}/`, name(1).slice(6)]) {
      await expect(store.get(wrong, signal)).rejects.toThrow("Expected the name of an entry");
      await expect(store.put(wrong, new Uint8Array(1), signal)).rejects.toThrow(
        "Expected the name",
      );
    }
  });

  it("is not left by links, neither to write nor to read or remove", async () => {
    const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    const before = await open(folder);
    await before.put(name(1), new Uint8Array(10), signal);
    await rename(join(folder, "image"), join(elsewhere, "image"));
    await symlink(join(elsewhere, "image"), join(folder, "image"));
    const store = await open(folder);
    expect(await store.get(name(1), signal)).toBeUndefined();
    await expect(store.put(name(1), new Uint8Array(10), signal)).rejects.toThrow("A link leads");
    expect(await store.remove(name(1), signal)).toBe(0);
    expect(await store.remove("", signal)).toBe(0);
    expect(await stat(pathOf(elsewhere, name(1)))).toBeDefined();
  });

  it("does not read what a link in the place of an entry leads to", async () => {
    const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    const store = await open(folder);
    await store.put(name(1), new Uint8Array(10), signal);
    const moved = join(elsewhere, "moved");
    await rename(pathOf(folder, name(1)), moved);
    await symlink(moved, pathOf(folder, name(1)));
    expect(await store.get(name(1), signal)).toBeUndefined();
    expect(await store.stats(signal, name(1))).toEqual({ entries: 0, bytes: 0 });
  });

  it.skipIf(process.platform === "win32")(
    `does not make a reader hang where an entry is a pipe${process.platform === "win32" ? " (Windows has no such files)" : ""}`,
    async () => {
      const folder = await temporaryFolder();
      await mkdir(dirname(pathOf(folder, name(1))), { recursive: true });
      await run("mkfifo", [pathOf(folder, name(1))]);
      expect(await (await open(folder)).get(name(1), signal)).toBeUndefined();
    },
  );

  it("finds entries of other levels to sweep and to purge, if not to read", async () => {
    const folder = await temporaryFolder();
    const flat = await filesystemCache.open(configOf(folder, { depth: 0 }), {
      ttlMs: 0,
      bounds: unbounded,
      log: silent,
    });
    for (const n of [1, 2]) await flat.put(name(n), new Uint8Array(10), signal);
    const store = await open(folder);
    expect(await store.get(name(1), signal)).toBeUndefined();
    expect((await store.stats(signal)).entries).toBe(2);
    expect(await store.remove(name(1).slice(0, 39), signal)).toBe(1);
    const bounds = { bytes: 1, entries: 0 };
    expect(await store.sweep({ bounds }, signal)).toEqual({ entries: 1, bytes: 10 });
  });

  it("is cleared of dead writers' files, but not of those being written", async () => {
    const folder = await temporaryFolder();
    const store = await open(folder);
    await store.put(name(1), new Uint8Array(10), signal);
    const path = pathOf(folder, name(1));
    const [dead, alive] = [`${path}.${"0".repeat(16)}.tmp`, `${path}.${"1".repeat(16)}.tmp`];
    for (const file of [dead, alive]) await writeFile(file, "half");
    const old = new Date(Date.now() - 700_000);
    await utimes(dead, old, old);
    await store.remove("", signal);
    await store.sweep({ bounds: unbounded }, signal);
    await expect(stat(dead)).rejects.toThrow("ENOENT");
    expect(await stat(alive)).toBeDefined();
  });
});

describe("a disk that is full", () => {
  it("evicts the least recently used for what is written now", async (context) => {
    const folder = await temporaryFolder();
    const mounted = await run("mount", ["-t", "tmpfs", "-o", "size=4m", "none", folder]).catch(
      () => undefined,
    );
    context.skip(mounted === undefined, "Only root can make a disk small enough to be filled.");
    onTestFinished(async () => {
      await run("umount", ["-l", folder]);
    });
    const store = await open(folder);
    // 8 MB, in few enough folders that each has something to remove.
    for (let n = 0; n < 400; n++) await store.put(infoName(n), new Uint8Array(20_000), signal);
    expect(await store.get(infoName(399), signal)).toBeDefined();
    expect((await store.stats(signal)).entries).toBeGreaterThan(50);
    const left = await readdir(folder, { recursive: true });
    expect(left.filter((path) => path.endsWith(".tmp"))).toEqual([]);
  });
});

const infoName = (n: number): string => `info/${n.toString(16).padStart(32, "0")}`;
