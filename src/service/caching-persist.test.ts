import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { createDerivatives } from "./caching.ts";

const name = `info/${"a".repeat(32)}`;

it("persists each worker's memory in its own file, for the next worker of its number", async () => {
  const folder = await temporaryFolder();
  const config = new Config({
    "cache.server.derivative.enabled": true,
    "cache.server.derivative": "HeapCache",
    "HeapCache.target_size": 1_000_000,
    "HeapCache.persist": true,
    "HeapCache.persist.filesystem.pathname": join(folder, "heap.cache"),
  });
  const open = async (workers: number, worker: number) => {
    const derivatives = await createDerivatives(config, silent, { workers, worker });
    if (!derivatives) throw new Error("Expected a cache");
    return derivatives.cache;
  };
  for (const [workers, worker] of [
    [1, 1],
    [2, 1],
    [2, 2],
  ] as const) {
    const cache = await open(workers, worker);
    await cache.put(name, new Uint8Array([workers, worker]));
    await cache.close();
  }
  expect((await readdir(folder)).sort()).toEqual(["heap.cache", "heap.cache.1", "heap.cache.2"]);
  expect((await (await open(2, 2)).get(name))?.body).toEqual(new Uint8Array([2, 2]));
  expect((await (await open(1, 1)).get(name))?.body).toEqual(new Uint8Array([1, 1]));
});
