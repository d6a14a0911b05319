import type { Cache } from "../caches/cache.ts";
import { defineKeys } from "../config/keys.ts";
import type { Logger } from "../core/log.ts";

/** Which derivative cache there is. */
export const cachingKeys = defineKeys({
  "cache.server.derivative.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether finished pictures are kept for the next who asks.",
    restart: true,
  },
  "cache.server.derivative": {
    type: "choice",
    choices: [
      "",
      "HeapCache",
      "FilesystemCache",
      "JdbcCache",
      "RedisCache",
      "S3Cache",
      "AzureStorageCache",
    ],
    default: "",
    doc: "Where finished pictures are kept: `HeapCache` is the memory of the process. The other kinds of Cantaloupe are accepted, but this version has none of them: with those nothing is kept.",
    restart: true,
  },
  "cache.server.info.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether what was learned of an image is remembered as long as its file stays the same.",
  },
});

/** A cache that never fails its caller: what is broken is logged, and counts as a miss. */
export const tolerant = (cache: Cache, log: Logger): Cache => ({
  async get(key, signal) {
    try {
      return await cache.get(key, signal);
    } catch (error) {
      signal?.throwIfAborted();
      log.warn("The derivative cache could not be read; the picture is drawn instead.", { error });
      return undefined;
    }
  },
  async put(key, body) {
    try {
      await cache.put(key, body);
    } catch (error) {
      log.warn("The derivative cache could not be written to.", { error });
    }
  },
  async remove(prefix) {
    await cache.remove(prefix);
  },
  async close() {
    await cache.close?.();
  },
});
