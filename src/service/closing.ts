import { memoryKeys } from "../caches/memory.ts";
import type { Config } from "../config/store.ts";
import { cachingKeys } from "./caching-keys.ts";
import { sourceCopyKeys } from "./source-copy-keys.ts";

/** Time limits of closing each part after draining, in milliseconds. */
export const closingTimes = {
  /** A running sweep. */
  sweeping: 5_000,
  /** Running purges, of the background and of tasks. */
  purging: 2_000,
  /** Entries queued for writing. */
  writing: 10_000,
  /** The file of a HeapCache: several gigabytes, perhaps on a slow file system. */
  persisting: 30_000,
  /** Copies of source files being fetched. */
  copying: 2_000,
} as const;

/** Maximum duration of closing a server after draining, in milliseconds. */
export const maxClosingMs = (config: Config): number => {
  const caching = config.view(cachingKeys)();
  const isCached = caching["cache.server.derivative.enabled"];
  const isHeap = caching["cache.server.derivative"] === "HeapCache";
  const isPersisted = isHeap && config.view(memoryKeys)()["HeapCache.persist"];
  const isCopied = config.view(sourceCopyKeys)()["cache.server.source"] !== "";
  return (
    (caching["cache.server.worker.enabled"] ? closingTimes.sweeping : 0) +
    (isCached || isCopied ? closingTimes.purging : 0) +
    (isCached && !isHeap ? closingTimes.writing : 0) +
    (isCached && isPersisted ? closingTimes.persisting : 0) +
    (isCopied ? closingTimes.copying : 0)
  );
};
