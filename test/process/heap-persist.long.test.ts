import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createMemory, type MemoryCache } from "../../src/caches/memory.ts";
import { persisted } from "../../src/caches/persist.ts";
import { silent } from "../../src/core/log.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { drawPictures, tile } from "./pictures.ts";
import { ask, type ServerProcess, startProcess, until } from "./server.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** So many entries of so many bytes. */
const [count, length] = [300, 1_000_000];
const name = (n: number): string => `info/${n.toString(16).padStart(32, "0")}`;

let path: string;
let server: ServerProcess | undefined;

const open = (): Promise<MemoryCache> =>
  persisted(createMemory({ bytes: 2 * count * length }), {
    path,
    closingMs: 60_000,
    log: silent,
  });

const found = async (): Promise<number> => {
  const memory = await open();
  const names = new Set(memory.names());
  return Array.from({ length: count }, (_, n) => name(n)).filter((one) => names.has(one)).length;
};

/** Serves with a large heap cache that has changed since it was written. */
const serve = async (): Promise<ServerProcess> => {
  server = await startProcess(drawPictures, {
    "http.workers": 1,
    // The time for draining is used up when the heap cache is written.
    "http.drain_timeout": 0,
    "cache.server.derivative.enabled": "true",
    "cache.server.derivative": "HeapCache",
    "HeapCache.target_size": 2 * count * length,
    "HeapCache.persist": "true",
    "HeapCache.persist.filesystem.pathname": path,
    "processor.stored_tiles": "false",
  });
  expect((await ask(server.base, tile(1))).status).toBe(200);
  return server;
};

beforeEach(async () => {
  const folder = join(await temporaryFolder(), "heap");
  await mkdir(folder);
  path = join(folder, "heap.cache");
  const memory = await open();
  for (let n = 0; n < count; n++) await memory.put(name(n), new Uint8Array(length).fill(n));
  await memory.close();
});

afterEach(async () => {
  await server?.remove();
  server = undefined;
});

const isBeingWritten = async (): Promise<boolean> => (await readdir(join(path, ".."))).length > 1;

it("a large heap is written completely before a server ends, even if that takes long", async () => {
  const before = (await stat(path)).size;
  const { signal, ended, workers } = await serve();
  const [worker = 0] = workers();
  signal("SIGTERM");
  await until(isBeingWritten);
  // Like a slow disk: longer than a worker has that writes nothing.
  process.kill(worker, "SIGSTOP");
  await pause(7_000);
  process.kill(worker, "SIGCONT");
  expect(await ended).toBe(0);
  expect(await readdir(join(path, ".."))).toEqual(["heap.cache"]);
  expect((await stat(path)).size).toBeGreaterThan(before);
  expect(await found()).toBe(count);
});

it("a server killed while writing its heap leaves the previous file", async () => {
  const before = await stat(path);
  const { signal, ended, workers } = await serve();
  const [worker = 0] = workers();
  signal("SIGTERM");
  await until(isBeingWritten);
  process.kill(worker, "SIGKILL");
  await ended;
  const after = await stat(path);
  expect([after.ino, after.size]).toEqual([before.ino, before.size]);
  expect(await found()).toBe(count);
});
