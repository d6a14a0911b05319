import {
  mkdir,
  open as openFile,
  readdir,
  readFile,
  rm,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { lockPath } from "./filesystem-files.ts";
import { CopyFailed, type Download, type DownloadRequest } from "./source-download.ts";
import { openSourceFiles, type SourceFiles, type SourceFilesParts } from "./source-files.ts";

const signal = new AbortController().signal;
const lockTimes = { signMs: 20, deadMs: 200, lookMs: 10 };

const open = async (
  pathname: string,
  given: Partial<SourceFilesParts> = {},
): Promise<SourceFiles> => {
  const files = await openSourceFiles({
    pathname,
    ttlMs: 0,
    bytes: 0,
    log: silent,
    lockTimes,
    ...given,
  });
  onTestFinished(() => files.close());
  return files;
};

const pieces = (length: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(length / 1_000) }, (_, n) =>
    new Uint8Array(Math.min(1_000, length - n * 1_000)).fill(n),
  );

async function* bodyOf(length: number, ending?: Error): AsyncGenerator<Uint8Array> {
  for (const piece of pieces(length)) {
    await pause(1);
    yield piece;
  }
  if (ending) throw ending;
}

/** An image of so many bytes that counts its downloads. */
const image = (
  identifier: string,
  size = 10_000,
  download: (time: number, signal: AbortSignal) => Promise<Download> | Download = () => ({
    length: size,
    body: bodyOf(size),
  }),
) => {
  const fetched = vi.fn(async (signal: AbortSignal) => download(fetched.mock.calls.length, signal));
  return { identifier, version: "1", size, download: fetched } satisfies DownloadRequest;
};

const filesIn = async (folder: string): Promise<readonly string[]> => {
  const all = await readdir(join(folder, "source"), { recursive: true, withFileTypes: true });
  return all.filter((child) => child.isFile()).map(({ name }) => name);
};

const age = (path: string, seconds: number): Promise<void> => {
  const at = new Date(Date.now() - seconds * 1_000);
  return utimes(path, at, at);
};

describe("copies of stored images", () => {
  it("are fetched once, and equal what was sent", async () => {
    const folder = await temporaryFolder();
    const files = await open(folder);
    const map = image("map.tif");
    const paths = await Promise.all(Array.from({ length: 10 }, () => files.fetch(map, signal)));
    expect(new Set(paths).size).toBe(1);
    expect(await files.fetch(map, signal)).toBe(paths[0]);
    expect(map.download).toHaveBeenCalledOnce();
    expect(Buffer.compare(await readFile(paths[0] ?? ""), Buffer.concat(pieces(10_000)))).toBe(0);
    expect(await files.stats(signal)).toEqual({ entries: 1, bytes: 10_000 });
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are fetched once by several processes", async () => {
    const folder = await temporaryFolder();
    const [one, other] = [await open(folder), await open(folder)];
    const map = image("map.tif");
    await Promise.all([one.fetch(map, signal), other.fetch(map, signal)]);
    expect(map.download).toHaveBeenCalledOnce();
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are fetched where another process died while it did", async () => {
    const folder = await temporaryFolder();
    const files = await open(folder);
    const map = image("map.tif");
    const path = await files.fetch(map, signal);
    await rm(path);
    await writeFile(lockPath(path), "of one that is dead");
    expect(await files.fetch(map, signal)).toBe(path);
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are waited for as long as another process is at work", async () => {
    const folder = await temporaryFolder();
    const [one, other] = [await open(folder), await open(folder)];
    const slow = image("map.tif", 10_000, () => ({ body: slowly() }));
    async function* slowly(): AsyncGenerator<Uint8Array> {
      await pause(2 * lockTimes.deadMs);
      yield* bodyOf(10_000);
    }
    await Promise.all([one.fetch(slow, signal), other.fetch(slow, signal)]);
    expect(slow.download).toHaveBeenCalledOnce();
  });

  it("leave nothing unfinished behind when they are closed, even without waiters", async () => {
    const folder = await temporaryFolder();
    const files = await open(folder);
    const leaving = new AbortController();
    const endless = image("map.tif", 10_000, () => ({ body: slowly() }));
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1_000);
      await pause(60_000, undefined, { ref: false });
    }
    const fetching = files.fetch(endless, leaving.signal);
    await vi.waitFor(async () => expect(await filesIn(folder)).toHaveLength(2));
    leaving.abort(new Error("gone"));
    await expect(fetching).rejects.toThrow("gone");
    await files.close();
    expect(await filesIn(folder)).toEqual([]);
  });

  it("are of the requested version, or at least of one size", async () => {
    const files = await open(await temporaryFolder());
    const map = image("map.tif");
    const first = await files.fetch(map, signal);
    expect(await files.fetch({ ...map, version: "2" }, signal)).not.toBe(first);
    await writeFile(first, "short");
    expect(await files.fetch(map, signal)).toBe(first);
    expect((await readFile(first)).length).toBe(10_000);
  });
});

describe("an image that does not arrive whole", () => {
  it.each<[string, () => Download]>([
    ["ends early", () => ({ length: 10_000, body: bodyOf(6_000) })],
    ["ends early without a word of its length", () => ({ body: bodyOf(6_000) })],
    ["breaks off", () => ({ length: 10_000, body: bodyOf(6_000, new Error("ECONNRESET")) })],
    ["goes on for too long", () => ({ body: bodyOf(11_000) })],
  ])("is fetched once more where it %s, and never cached", async (_, download) => {
    const folder = await temporaryFolder();
    const files = await open(folder);
    const broken = image("map.tif", 10_000, download);
    await expect(files.fetch(broken, signal)).rejects.toMatchObject({ failure: "upstream" });
    expect(broken.download).toHaveBeenCalledTimes(2);
    expect(await filesIn(folder)).toEqual([]);

    const mended = image("map.tif", 10_000, (time) =>
      time === 1 ? download() : { body: bodyOf(10_000) },
    );
    expect((await readFile(await files.fetch(mended, signal))).length).toBe(10_000);
  });

  it("is aborted where it exceeds the maximum size, however long it goes on", async () => {
    const folder = await temporaryFolder();
    const files = await open(folder, { bytes: 20_000 });
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; sent < 1_000_000; sent += 1_000) yield new Uint8Array(1_000);
    }
    // Nobody knows or announces its length.
    const download = vi.fn(async () => ({ body: endless() }));
    const fetched = files.fetch({ identifier: "map.tif", version: "1", download }, signal);
    await expect(fetched).rejects.toMatchObject({ failure: "upstream" });
    expect(sent).toBeLessThan(50_000);
    expect(await filesIn(folder)).toEqual([]);
  });

  it("is aborted when no more data arrives, whatever the sender does", async () => {
    const folder = await temporaryFolder();
    const files = await open(folder, { stallMs: 50 });
    const body = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const stuck = image("map.tif", 10_000, () => ({ body }));
    await expect(files.fetch(stuck, signal)).rejects.toMatchObject({ failure: "upstream" });
    expect(await filesIn(folder)).toEqual([]);
  });

  it("is another image where another length is announced", async () => {
    const files = await open(await temporaryFolder());
    const replaced = image("map.tif", 10_000, () => ({ length: 9_000, body: bodyOf(9_000) }));
    await expect(files.fetch(replaced, signal)).rejects.toBeInstanceOf(SourceChanged);
    expect(replaced.download).toHaveBeenCalledOnce();
  });

  it("is not asked for again where it is missing", async () => {
    const files = await open(await temporaryFolder());
    const missing = image("map.tif", 10_000, () => fail("missing", "There is no image."));
    await expect(files.fetch(missing, signal)).rejects.toMatchObject({ failure: "missing" });
    expect(missing.download).toHaveBeenCalledOnce();
  });

  it("leaves nothing behind when the last waiter has gone", async () => {
    const folder = await temporaryFolder();
    const files = await open(folder);
    let seen: AbortSignal | undefined;
    const map = image("map.tif", 1_000_000, (_, signal) => {
      seen = signal;
      return { body: bodyOf(1_000_000) };
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const fetching = [first, second].map(({ signal }) =>
      files.fetch(map, signal).catch(() => "left"),
    );
    await vi.waitFor(async () => expect(await filesIn(folder)).toHaveLength(2));
    first.abort();
    expect(await fetching[0]).toBe("left");
    expect(seen?.aborted).toBe(false);
    second.abort();
    expect(await fetching[1]).toBe("left");
    expect(seen?.aborted).toBe(true);
    await vi.waitFor(async () => expect(await filesIn(folder)).toEqual([]));
  });
});

describe("what copies take", () => {
  it("is bounded: the least recently used are removed first, but none in use", async () => {
    const files = await open(await temporaryFolder(), { bytes: 100_000 });
    const paths: string[] = [];
    for (const n of [0, 1, 2]) paths.push(await files.fetch(image(`${n}.tif`, 30_000), signal));
    for (const [n, path] of paths.entries()) await age(path, n === 1 ? 10 : 1_000 - n);
    await files.fetch(image("0.tif", 30_000), signal);
    await files.fetch(image("3.tif", 30_000), signal);
    await vi.waitFor(async () =>
      expect(await files.stats(signal)).toEqual({ entries: 3, bytes: 90_000 }),
    );
    await expect(readFile(paths[2] ?? "")).rejects.toThrow("ENOENT");
    // All remaining ones are in use, and so is one more.
    await files.fetch(image("4.tif", 30_000), signal);
    expect((await files.sweep(signal)).entries).toBe(0);
    expect((await files.stats(signal)).entries).toBe(4);
    expect([files.takes(50_000), files.takes(50_001)]).toEqual([true, false]);
  });

  it("is swept of what was not used for too long", async () => {
    const files = await open(await temporaryFolder(), { ttlMs: 3_600_000 });
    const [old, used] = [image("old.tif"), image("used.tif")];
    for (const one of [old, used]) await age(await files.fetch(one, signal), 4_000);
    await files.fetch(used, signal);
    expect(await files.sweep(signal)).toEqual({ entries: 1, bytes: 10_000 });
    await files.fetch(used, signal);
    expect(used.download).toHaveBeenCalledOnce();
  });

  it("can be removed by image, without harm to readers", async () => {
    const files = await open(await temporaryFolder());
    const [map, other] = [image("map.tif"), image("other.tif")];
    const path = await files.fetch(map, signal);
    await files.fetch({ ...map, version: "2" }, signal);
    await files.fetch(other, signal);
    const reader = await openFile(path);
    expect(await files.remove("map.tif", signal)).toBe(2);
    expect((await reader.readFile()).length).toBe(10_000);
    await reader.close();
    expect(await files.stats(signal)).toEqual({ entries: 1, bytes: 10_000 });
    await files.drop(other);
    expect(await files.remove(undefined, signal)).toBe(0);
  });

  it("includes nothing that no server wrote", async () => {
    const folder = await temporaryFolder();
    const theirs = join(folder, "source", "ab", "cd", "e".repeat(32));
    await mkdir(dirname(theirs), { recursive: true });
    await writeFile(theirs, "Cantaloupe's");
    await age(theirs, 1e9);
    const files = await open(folder, { ttlMs: 1_000, bytes: 1 });
    await files.sweep(signal);
    await files.remove(undefined, signal);
    expect(await readFile(theirs, "utf8")).toBe("Cantaloupe's");
  });

  it("fails with an error of its own where the folder is unusable", async () => {
    const folder = await temporaryFolder();
    const files = await open(folder);
    await writeFile(join(folder, "source"), "in the way");
    await expect(files.fetch(image("map.tif"), signal)).rejects.toBeInstanceOf(CopyFailed);
  });
});
