import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Source } from "../core/source.ts";
import { sniff } from "../formats/sniff.ts";
import { createSourceCopies, type SourceCopies } from "./source-copies.ts";

const signal = new AbortController().signal;
const context = { requestId: "1", identifier: "map.png", signal };
const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(5_000, 7)]);

const copiesIn = async (
  folder: string,
  { log = silent, ...settings }: Readonly<Record<string, unknown>> & { log?: typeof silent } = {},
): Promise<SourceCopies> => {
  const copies = await createSourceCopies(
    new Config({
      "cache.server.source": "FilesystemCache",
      "FilesystemCache.pathname": folder,
      ...settings,
    }),
    log,
  );
  onTestFinished(() => copies.close());
  return copies;
};

/** A remote source with one image. */
const elsewhere = (content: Uint8Array = png) => {
  const download = vi.fn(async () => ({
    length: content.length,
    body: (async function* () {
      yield content.subarray(0, 2_000);
      yield content.subarray(2_000);
    })(),
  }));
  const remote: RangeReader = {
    size: content.length,
    read: async (offset, length) => content.subarray(offset, offset + length),
    stream: () => fail("internal", "Nobody streams this."),
    close: async () => {},
  };
  const open = vi.fn(async () => remote);
  const source: Source = {
    find: async () => ({ version: "1", size: content.length, open, download }),
  };
  return { source, download, open };
};

/** As `elsewhere`, of a source that supports ranges as well. */
const inParts = (content: Uint8Array) => {
  const made = elsewhere(content);
  const source: Source = {
    find: async (...asked) => ({ ...(await made.source.find(...asked)), byRanges: true }),
  };
  return { ...made, source };
};

const openFirst = async (source: Source): Promise<RangeReader> => {
  const reader = await (await source.find("map.png", context)).open(signal);
  onTestFinished(() => reader.close());
  return reader;
};

describe("remote images", () => {
  it("are read from a copy that is downloaded once", async () => {
    const copies = await copiesIn(await temporaryFolder());
    const { source, download, open } = elsewhere();
    const reader = await openFirst(copies.source(source));
    expect(Buffer.from(await reader.read(1_990, 20))).toEqual(png.subarray(1_990, 2_010));
    expect((await reader.read(5_000, 999)).length).toBe(png.length - 5_000);
    expect(await buffer(reader.stream())).toEqual(png);
    expect(reader.size).toBe(png.length);
    await openFirst(copies.source(source));
    expect([download.mock.calls.length, open.mock.calls.length]).toEqual([1, 0]);
  });

  it("are read to the end from a copy that is removed meanwhile, and downloaded again", async () => {
    const copies = await copiesIn(await temporaryFolder());
    const { source, download } = elsewhere();
    const reader = await openFirst(copies.source(source));
    await copies.files?.remove("map.png", signal);
    expect(Buffer.from(await reader.read(0, png.length))).toEqual(png);
    await openFirst(copies.source(source));
    expect(download).toHaveBeenCalledTimes(2);
  });

  it("are read remotely if there is no room for a copy, which is reported once", async () => {
    const folder = await temporaryFolder();
    const warn = vi.fn();
    const copies = await copiesIn(folder, { log: { ...silent, warn } });
    await writeFile(join(folder, "source"), "in the way");
    const { source, open } = elsewhere();
    for (let n = 0; n < 3; n++) {
      const reader = await openFirst(copies.source(source));
      expect(Buffer.from(await reader.read(0, 8))).toEqual(png.subarray(0, 8));
    }
    expect(open).toHaveBeenCalledTimes(3);
    expect(warn).toHaveBeenCalledOnce();
  });

  it("are read remotely if they are too large to be copied", async () => {
    const copies = await copiesIn(await temporaryFolder(), {
      "cache.server.source.max_size": 6_000,
    });
    const { source, download, open } = elsewhere();
    await openFirst(copies.source(source));
    expect([download.mock.calls.length, open.mock.calls.length]).toEqual([0, 1]);
  });

  it("are read remotely without a cache, or with one that has no folder", async () => {
    const folder = await temporaryFolder({ file: "" });
    const warn = vi.fn();
    for (const copies of [
      await copiesIn(folder, { "cache.server.source": "" }),
      await copiesIn(join(folder, "file"), { log: { ...silent, warn } }),
    ]) {
      const { source } = elsewhere();
      expect(copies.source(source)).toBe(source);
      expect(copies.swept).toEqual([]);
    }
    expect(warn).toHaveBeenCalledOnce();
  });

  it("do not include local files, which are not copied", async () => {
    const copies = await copiesIn(await temporaryFolder());
    const { source } = elsewhere();
    const object = await source.find("map.png", context);
    const { download: _, ...local } = { ...object, local: true as const };
    expect(await copies.source({ find: async () => local }).find("map.png", context)).toBe(local);
  });
});

describe("a copy of an unreadable image", () => {
  it.each([
    [true, 0],
    [false, 1],
  ])("is deleted at once if configured: %s", async (purges, left) => {
    for (const content of [Buffer.alloc(100, 1), Buffer.from(`8BPS${"\0".repeat(40)}`)]) {
      const folder = await temporaryFolder();
      const copies = await copiesIn(folder, {
        "processor.purge_incompatible_from_source_cache": purges,
      });
      const reader = await openFirst(copies.source(elsewhere(content).source));
      await copies
        .sniff(sniff)(reader, signal)
        .catch(() => undefined);
      expect((await copies.files?.stats(signal))?.entries).toBe(left);
    }
  });

  it("stays if it can be read", async () => {
    const copies = await copiesIn(await temporaryFolder(), {
      "processor.purge_incompatible_from_source_cache": true,
    });
    const reader = await openFirst(copies.source(elsewhere().source));
    expect(await copies.sniff(sniff)(reader, signal)).toBe("png");
    expect((await copies.files?.stats(signal))?.entries).toBe(1);
  });
});

describe("the folder of copies", () => {
  it("may be cleared by hand at any time", async () => {
    const folder = await temporaryFolder();
    const copies = await copiesIn(folder);
    const { source, download } = elsewhere();
    await openFirst(copies.source(source));
    for (const child of await readdir(folder)) await rm(join(folder, child), { recursive: true });
    await mkdir(join(folder, "source"));
    const reader = await openFirst(copies.source(source));
    expect(Buffer.from(await reader.read(0, 8))).toEqual(png.subarray(0, 8));
    expect(download).toHaveBeenCalledTimes(2);
  });
});

describe("remote images that can be read by ranges", () => {
  const large = Buffer.alloc(200_000, 3);

  it("are copied once all of the file is needed, and not before", async () => {
    const copies = await copiesIn(await temporaryFolder());
    const { source, download } = inParts(large);
    const reader = await openFirst(copies.source(source));
    expect((await reader.read(100, 1_000)).length).toBe(1_000);
    expect(download).not.toHaveBeenCalled();
    const path = (await reader.copy?.(signal)) ?? "";
    expect((await readFile(path)).equals(large)).toBe(true);
    const whole = await openFirst(copies.source(source));
    expect(Buffer.from(await whole.read(0, large.length)).equals(large)).toBe(true);
    expect(download).toHaveBeenCalledTimes(1);
  });

  it("are copied at once if configured", async () => {
    const strategy = { "processor.stream_retrieval_strategy": "CacheStrategy" };
    const copies = await copiesIn(await temporaryFolder(), strategy);
    const { source, download, open } = inParts(large);
    await openFirst(copies.source(source));
    expect([download.mock.calls.length, open.mock.calls.length]).toEqual([1, 0]);
  });

  it("are rejected if whole files are needed and configuration forbids it", async () => {
    const strategy = { "processor.fallback_retrieval_strategy": "AbortStrategy" };
    const copies = await copiesIn(await temporaryFolder(), strategy);
    const { source, download } = inParts(large);
    const reader = await openFirst(copies.source(source));
    expect((await reader.read(100, 1_000)).length).toBe(1_000);
    await expect(reader.read(0, large.length)).rejects.toMatchObject({ failure: "unreadable" });
    expect(download).not.toHaveBeenCalled();
  });

  it("are copied to a folder of the user's own if none is configured", async () => {
    vi.stubEnv("TMPDIR", await temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const copies = await copiesIn("", {
      "cache.server.source": "",
      "source.static": "HttpSource",
    });
    const { source } = inParts(large);
    const path = (await (await openFirst(copies.source(source))).copy?.(signal)) ?? "";
    expect((await readFile(path)).equals(large)).toBe(true);
    const folder = path.slice(0, path.indexOf("/source/"));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
});
