import { expect, it } from "vitest";
import { Config } from "../config/store.ts";
import { closingTimes, maxClosingMs } from "./closing.ts";

const { sweeping, purging, writing, persisting, copying } = closingTimes;

it.each([
  [{}, 0],
  [{ "cache.server.source": "FilesystemCache" }, purging + copying],
  [{ "cache.server.derivative": "HeapCache" }, purging],
  [{ "cache.server.derivative": "HeapCache", "HeapCache.persist": true }, purging + persisting],
  [{ "cache.server.derivative": "S3Cache", "HeapCache.persist": true }, purging + writing],
  [
    { "cache.server.derivative": "S3Cache", "cache.server.worker.enabled": true },
    purging + writing + sweeping,
  ],
])("gives a server with %j %i ms to close", (settings, ms) => {
  const isEnabled = "cache.server.derivative" in settings;
  const config = new Config({ "cache.server.derivative.enabled": isEnabled, ...settings });
  expect(maxClosingMs(config)).toBe(ms);
});
