import { mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createApp } from "../../src/app/app.ts";
import { Config } from "../../src/config/store.ts";
import { type LogFields, type Logger, silent } from "../../src/core/log.ts";
import { createDerivatives } from "../../src/service/caching.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-sweeping-"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const hex = (n: number): string => n.toString(16).padStart(32, "0");
const day = 86_400;

const settings = (): Readonly<Record<string, unknown>> => ({
  "FilesystemSource.BasicLookupStrategy.path_prefix": folder + sep,
  "cache.server.derivative.enabled": true,
  "cache.server.derivative": "FilesystemCache",
  "cache.server.derivative.ttl_seconds": day,
  "FilesystemCache.pathname": join(folder, "cache"),
  "cache.server.worker.enabled": true,
});

/** Two entries, one of which has expired. */
const fill = async (): Promise<void> => {
  const derivatives = await createDerivatives(new Config(settings()), silent);
  for (const n of [1, 2])
    await derivatives?.cache.put(`image/${hex(1)}/${hex(n)}`, new Uint8Array(9));
  await derivatives?.cache.close();
  const [old] = await entries();
  const time = new Date(Date.now() - 2 * day * 1_000);
  await utimes(old ?? "", time, time);
};

const entries = async (): Promise<readonly string[]> => {
  const found = await readdir(join(folder, "cache"), { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && entry.name.includes(hex(1)))
    .map((entry) => join(entry.parentPath, entry.name));
};

it("removes expired entries after a minute, in a single worker", async () => {
  await fill();
  expect(await entries()).toHaveLength(2);
  const swept: LogFields[] = [];
  const application: Logger = {
    ...silent,
    info: (message, fields) => {
      if (message === "A cache was swept") swept.push(fields ?? {});
    },
  };
  const logs = { application, access: () => {}, close: async () => {} };
  const config = new Config(settings());
  const apps = [
    await createApp({ config, logs, workers: 2, worker: 2 }),
    await createApp({ config, logs, workers: 2, worker: 1 }),
  ];
  await vi.advanceTimersByTimeAsync(59_000);
  expect(await entries()).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  for (let turns = 0; swept.length === 0 && turns < 100_000; turns++) await turn();
  expect(swept).toEqual([expect.objectContaining({ cache: "FilesystemCache", entries: 1 })]);
  expect(await entries()).toHaveLength(1);
  vi.useRealTimers();
  for (const app of apps) await app.close();
});
