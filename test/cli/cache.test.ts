import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { Cache } from "../../src/caches/cache.ts";
import { derivativeName, infoName } from "../../src/caches/names.ts";
import { openSourceFiles } from "../../src/caches/source-files.ts";
import { Config } from "../../src/config/store.ts";
import { silent } from "../../src/core/log.ts";
import { imageHash } from "../../src/core/plan.ts";
import { createDerivatives } from "../../src/service/caching.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run } from "./program.ts";

const hex = (n: number): string => n.toString(16).padStart(32, "0");

const settingsOf = (cwd: string): Readonly<Record<string, string | boolean>> => ({
  "cache.server.derivative.enabled": true,
  "cache.server.derivative": "FilesystemCache",
  "FilesystemCache.pathname": join(cwd, "cache"),
});

/**
 * A folder with a configuration, whose cache contains three derivatives of each of two images, and
 * their infos.
 */
const filled = async (more = ""): Promise<string> => {
  const cwd = await temporaryFolder();
  const lines = Object.entries(settingsOf(cwd)).map(([key, value]) => `${key} = ${value}\n`);
  // Of several lines for one key the first counts.
  await writeFile(join(cwd, "vitrine.properties"), more + lines.join(""));
  await using(cwd, async (cache) => {
    for (const id of ["maps/a.tif", "b.tif"]) {
      const pictures = [1, 2, 3].map((n) => derivativeName(`${imageHash(id)}/${hex(n)}`));
      for (const name of pictures) await cache.put(name, new Uint8Array(2_000));
      await cache.put(infoName(id), new Uint8Array(100));
    }
  });
  return cwd;
};

const using = async <T>(cwd: string, use: (cache: Cache) => Promise<T>): Promise<T> => {
  const derivatives = await createDerivatives(new Config(settingsOf(cwd)), silent);
  if (!derivatives) throw new Error("Expected a cache");
  try {
    return await use(derivatives.cache);
  } finally {
    await derivatives.cache.close();
  }
};

/** Creates a copy of the file of an image. */
const copied = async (cwd: string, identifier: string): Promise<void> => {
  const pathname = join(cwd, "cache");
  const files = await openSourceFiles({ pathname, ttlMs: 0, bytes: 0, log: silent });
  const download = async () => ({
    body: (async function* () {
      yield new Uint8Array(9);
    })(),
  });
  await files.fetch({ identifier, version: "1", download }, new AbortController().signal);
  await files.close();
};

const held = (cwd: string): Promise<number> =>
  using(cwd, async (cache) => (await cache.stats()).entries);

describe("vitrine cache", () => {
  it("removes cached data of the named images, and nothing else", async () => {
    const cwd = await filled();
    expect(await held(cwd)).toBe(8);
    const purged = await run(
      ["cache", "purge", "--identifier", "maps/a.tif", "--identifier", "c.tif"],
      { cwd },
    );
    expect(purged.code).toBe(0);
    expect(purged.stdout).toMatch(
      /^Removed 4 entries of 'maps\/a\.tif' from FilesystemCache in \d+\.\d\d s\.\nRemoved 0 entries of 'c\.tif' .*\n$/,
    );
    expect(purged.stderr).toBe(
      "Servers that share FilesystemCache stop serving it within 3 seconds, even while it is still being removed.\n",
    );
    expect(await held(cwd)).toBe(4);
  });

  it.each([
    ["--images", "Removed 6 entries of all images from", 2],
    ["--infos", "Removed 2 entries of all infos from", 6],
    ["--all", "Removed 8 entries of everything from", 0],
  ])("purge %s", async (option, says, left) => {
    const cwd = await filled();
    const { code, stdout } = await run(["cache", "purge", option], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(says);
    expect(await held(cwd)).toBe(left);
  });

  it("removes copies of source files with the named images, and with all", async () => {
    const cwd = await filled("cache.server.source = FilesystemCache\n");
    for (const id of ["maps/a.tif", "b.tif", "c.tif"]) await copied(cwd, id);
    const one = await run(["cache", "purge", "--identifier", "b.tif"], { cwd });
    expect(one.stdout).toMatch(
      /^Removed 4 entries of 'b\.tif' from FilesystemCache and 1 copy of source files in/,
    );
    const images = await run(["cache", "purge", "--images"], { cwd });
    expect(images.stdout).toContain("and 0 copies of source files in");
    const all = await run(["cache", "purge", "--all"], { cwd });
    expect(all.stdout).toMatch(/^Removed 1 entry of everything .* and 2 copies of source files in/);
    expect(all.code).toBe(0);
  });

  it("removes copies of source files if nothing else is cached", async () => {
    const cwd = await filled(
      "cache.server.source = FilesystemCache\ncache.server.derivative.enabled = false\n",
    );
    await copied(cwd, "b.tif");
    const { code, stdout, stderr } = await run(["cache", "purge", "--identifier", "b.tif"], {
      cwd,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Removed 1 copy of source files of 'b\.tif' in/);
  });

  it("removes copies of source files beside a HeapCache, and reports that it reaches no memory", async () => {
    const cwd = await filled(
      "cache.server.source = FilesystemCache\ncache.server.derivative = HeapCache\n",
    );
    await copied(cwd, "b.tif");
    const { code, stdout, stderr } = await run(["cache", "purge", "--all"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Removed 1 copy of source files of everything in/);
    expect(stderr).toContain("HeapCache is in the memory of the server's processes");
  });

  it("sweeps what exceeds the limits", async () => {
    const cwd = await filled("cache.server.derivative.max_entries = 5\n");
    const { code, stdout } = await run(["cache", "sweep"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Removed \d+ entries of \d+ bytes from FilesystemCache in/);
    expect(await held(cwd)).toBeLessThanOrEqual(5);
  });

  it("reports sizes, as text and as JSON", async () => {
    const cwd = await filled();
    const told = await run(["cache", "stats", "--json"], { cwd });
    expect(JSON.parse(told.stdout)).toEqual({
      cache: "FilesystemCache",
      entries: 8,
      bytes: expect.any(Number),
    });
    const { code, stdout, stderr } = await run(["cache", "stats"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^cache {4}FilesystemCache\nentries {2}8\nbytes {4}\d+ bytes\n$/);
  });

  it("exits with 1 and the reason if the cache is unreachable", async () => {
    const cwd = await temporaryFolder({
      "vitrine.properties": `cache.server.derivative.enabled = true
cache.server.derivative = S3Cache
S3Cache.endpoint = http://127.0.0.1:1
S3Cache.access_key_id = a
S3Cache.secret_key = b
S3Cache.bucket.name = pictures
`,
    });
    const { code, stdout, stderr } = await run(["cache", "purge", "--all"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("cache purge: S3Cache expected the bucket pictures to read notes");
    expect(stderr).toContain("ECONNREFUSED");
  });
});

describe("vitrine cache is rejected with a message and exit code 2", () => {
  it.each([
    { args: ["cache"], says: "Usage: vitrine cache [options] [command]" },
    { args: ["cache", "purge"], says: "--images, --infos or --all, got none of them" },
    { args: ["cache", "purge", "--all", "--infos"], says: "got more than one of them" },
    {
      args: ["cache", "purge", "--all", "--identifier", "a"],
      says: "got more than one of them",
    },
    { args: ["cache", "purge", "a.tif"], says: "too many arguments for 'purge'" },
    { args: ["cache", "sweep", "--config", "absent"], says: "expected a configuration file at" },
  ])("$args", async ({ args, says }) => {
    const cwd = await filled();
    const { code, stdout, stderr } = await run(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(await held(cwd)).toBe(8);
  });
});

test.each([
  [
    "HeapCache",
    "true",
    "HeapCache is in the memory of the server's processes, out of reach of commands",
  ],
  ["FilesystemCache", "false", "cache.server.derivative.enabled false"],
  ["", "true", "HeapCache is in the memory of the server's processes, out of reach of commands"],
])("with the cache '%s' and enabled %s there is nothing to do", async (kind, enabled, says) => {
  const cwd = await temporaryFolder({
    "vitrine.properties": `cache.server.derivative = ${kind}\ncache.server.derivative.enabled = ${enabled}\n`,
  });
  const { code, stdout, stderr } = await run(["cache", "stats"], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(says);
});
