import { memoryKeys } from "../caches/memory.ts";
import type { Config } from "../config/store.ts";
import { cachingKeys } from "./caching-keys.ts";
import { sourceCopyKeys } from "./source-copy-keys.ts";

/** What letting go of something may take once nothing is asked any more, in milliseconds. */
export const closingTimes = {
  /** A sweep that is under way. */
  sweeping: 5_000,
  /** Purges under way, of those that nobody waits for and of tasks. */
  purging: 2_000,
  /** Entries still to be written. */
  writing: 10_000,
  /** The file of a HeapCache: some gigabytes, and another file system may be slow. */
  persisting: 30_000,
  /** Copies of source files that were being fetched. */
  copying: 2_000,
} as const;

/** What closing a server may take at most after it has drained, in milliseconds. */
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
