import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, unlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Source } from "../../src/core/source.ts";
import { startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

vi.setConfig({ testTimeout: 60_000 });

const thumbnail = "/iiif/3/large.png/full/300,/0/default.jpg";

/** A source that counts how often one of its objects is opened. */
const counting = (counts: { opened: number }, source: Source): Source => ({
  ...source,
  find: async (identifier, context) => {
    const object = await source.find(identifier, context);
    const open: typeof object.open = (signal) => {
      counts.opened++;
      return object.open(signal);
    };
    return { ...object, open };
  },
});

let kept: string;
let servers: TestServer[];
beforeEach(async () => {
  kept = await mkdtemp(join(tmpdir(), "vitrine-kept-"));
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.close();
  await rm(kept, { recursive: true, force: true });
});

/** A server whose images are cached on disk, and in memory only where a test says so. */
const start = async (
  values: Readonly<Record<string, unknown>> = {},
  draw: (folder: string) => Promise<void> = drawPictures,
) => {
  const counts = { opened: 0 };
  const server = await startServer(
    draw,
    {
      "cache.server.derivative.enabled": true,
      "cache.server.derivative": "FilesystemCache",
      "FilesystemCache.pathname": kept,
      "HeapCache.front_share": 0,
      "cache.server.info.trust_seconds": 0,
      ...values,
    },
    { around: { images: (images) => images, source: (source) => counting(counts, source) } },
  );
  servers.push(server);
  return { server, counts };
};

/** A server on the images and the cache of another one. */
const startBeside = ({ folder }: TestServer, values: Readonly<Record<string, unknown>> = {}) =>
  start(
    { "FilesystemSource.BasicLookupStrategy.path_prefix": folder + sep, ...values },
    async () => {},
  );

const stop = async (server: TestServer): Promise<void> => {
  servers.splice(servers.indexOf(server), 1);
  await server.close();
};

/** The files of entries on disk. */
const entries = async (kind: "image" | "info"): Promise<readonly string[]> => {
  const found = await readdir(join(kept, kind), { withFileTypes: true, recursive: true }).catch(
    () => [],
  );
  return found
    .filter((entry) => entry.isFile() && /[0-9a-f]{32}\.vtr$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
};
const written = (kind: "image" | "info", count: number): Promise<void> =>
  vi.waitFor(async () => expect(await entries(kind)).toHaveLength(count), { timeout: 5_000 });

/** Replaces an image by another one of the same name with another modification date. */
const replace = async (server: TestServer, name: string, by: string): Promise<void> => {
  await writeFile(join(server.folder, name), await readFile(join(server.folder, by)));
  await utimes(join(server.folder, name), new Date(), new Date(1_600_000_000_000));
};

describe("derivatives cached on disk", () => {
  it("are rendered once for a thousand concurrent requests", async () => {
    const { server, counts } = await start();
    await server.ask("/iiif/3/large.png/info.json");
    counts.opened = 0;
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => server.ask(thumbnail)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.toString("base64"))).size).toBe(1);
    expect(counts.opened).toBe(1);
  });

  it("are served after a restart without reading the image", async () => {
    const { server } = await start();
    const before = await server.ask(thumbnail);
    await written("image", 1);
    await written("info", 1);
    const second = await startBeside(server);
    const after = await second.server.ask(thumbnail);
    expect(after.body.equals(before.body)).toBe(true);
    expect(after.headers.etag).toBe(before.headers.etag);
    expect(second.counts.opened).toBe(0);
  });

  it("are shared by all spellings, in every version of the API", async () => {
    const { server } = await start({ "endpoint.iiif.1.enabled": true });
    for (const path of [
      thumbnail,
      "/iiif/2/large.png/full/300,/0/default.jpg",
      "/iiif/1/large.png/full/300,/0/native.jpg",
      "/iiif/3/large.png/0,0,1500,1100/300,220/0/default.jpg",
      "/iiif/3/large.png/pct:0,0,100,100/pct:20/0/default.jpg?response-content-disposition=inline",
      "/iiif/3/large.png;1/full/300,/0/color.jpg?any=thing",
    ])
      expect((await server.ask(path)).status, path).toBe(200);
    await written("image", 1);
  });

  it("are replaced at once with a replaced file if the source is checked first", async () => {
    const { server } = await start({ "cache.server.resolve_first": true });
    const before = await server.ask(thumbnail);
    await replace(server, "large.png", "small.png");
    const after = await server.ask(thumbnail);
    expect(after.status).toBe(200);
    expect(after.body.equals(before.body)).toBe(false);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it("are purged with a deleted image, if configured", async () => {
    const { server } = await start({
      "cache.server.resolve_first": true,
      "cache.server.purge_missing": true,
    });
    await server.ask(thumbnail);
    await server.ask("/iiif/3/small.png/full/50,/0/default.jpg");
    await written("image", 2);
    await unlink(join(server.folder, "large.png"));
    expect((await server.ask(thumbnail)).status).toBe(404);
    await written("image", 1);
    await written("info", 1);
    // Other servers are told after everything is removed; nothing happens in the folder once the
    // server has closed.
    await stop(server);
    const left = await readdir(kept);
    expect(left.filter((name) => name.startsWith("notes"))).toEqual(["notes.vtr"]);
    await rm(kept, { recursive: true });
    await pause(200);
    expect(existsSync(kept)).toBe(false);
  });

  it("are not used by a server that renders differently", async () => {
    const { server } = await start();
    const usual = await server.ask(thumbnail);
    const { server: coarse } = await startBeside(server, { "processor.jpg.quality": 20 });
    const rough = await coarse.ask(thumbnail);
    expect(rough.body.length).toBeLessThan(usual.body.length);
    await written("image", 2);
  });

  it("are rendered again once expired", async () => {
    const { server, counts } = await start({ "cache.server.derivative.ttl_seconds": 1 });
    const first = await server.ask(thumbnail);
    await written("image", 1);
    counts.opened = 0;
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect((await server.ask(thumbnail)).body.equals(first.body)).toBe(true);
    expect(counts.opened).toBeGreaterThan(0);
  });

  it("are rendered again after a bit flip", async () => {
    const { server, counts } = await start();
    const first = await server.ask(thumbnail);
    await written("image", 1);
    const [file = ""] = await entries("image");
    const bytes = await readFile(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4;
    await writeFile(file, bytes);
    counts.opened = 0;
    expect((await server.ask(thumbnail)).body.equals(first.body)).toBe(true);
    expect(counts.opened).toBe(1);
    await vi.waitFor(async () => expect((await readFile(file)).equals(bytes)).toBe(false));
    await server.ask(thumbnail);
    expect(counts.opened).toBe(1);
  });

  it("are ignored by nocache and replaced by recache", async () => {
    const { server, counts } = await start();
    await server.ask("/iiif/3/large.png/info.json");
    counts.opened = 0;
    await server.ask(`${thumbnail}?cache=nocache`);
    expect(await entries("image")).toHaveLength(0);
    await server.ask(thumbnail);
    await written("image", 1);
    const drawn = counts.opened;
    const [file = ""] = await entries("image");
    await unlink(file);
    await server.ask(`${thumbnail}?cache=recache`);
    expect(counts.opened).toBeGreaterThan(drawn);
    await written("image", 1);
    expect(await entries("image")).toEqual([file]);
    const drawnAgain = counts.opened;
    await server.ask(thumbnail);
    expect(counts.opened).toBe(drawnAgain);
  });

  it("do not bypass changed limits", async () => {
    const { server } = await start();
    expect((await server.ask(thumbnail)).status).toBe(200);
    const { server: strict } = await startBeside(server, { max_pixels: 1_000 });
    expect((await strict.ask(thumbnail)).status).toBe(400);
  });

  it("do not exist for failed renders", async () => {
    const { server } = await start();
    await writeFile(join(server.folder, "broken.png"), "no picture");
    const path = "/iiif/3/broken.png/full/300,/0/default.jpg";
    expect((await server.ask(path)).status).toBeGreaterThanOrEqual(400);
    await replace(server, "broken.png", "small.png");
    expect((await server.ask(path)).status).toBe(200);
  });

  it("make a server slower but never wrong when their folder is lost", async () => {
    const { server } = await start();
    const first = await server.ask(thumbnail);
    await written("image", 1);
    await rm(kept, { recursive: true });
    await writeFile(kept, "no folder any more");
    for (let n = 0; n < 3; n++) {
      const again = await server.ask(thumbnail);
      expect(again.status).toBe(200);
      expect(again.body.equals(first.body)).toBe(true);
    }
    await stop(server);
  });
});
