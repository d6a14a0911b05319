import type { Cache } from "../caches/cache.ts";
import { type CacheCallTotals, type GuardedCache, guarded } from "../caches/guarded.ts";
import { stores } from "../caches/index.ts";
import { type Backlog, layered } from "../caches/layered.ts";
import { createMemory, type MemoryCache, memoryKeys } from "../caches/memory.ts";
import { persisted } from "../caches/persist.ts";
import { openPurges, type Purges } from "../caches/purges.ts";
import { sealed } from "../caches/sealed.ts";
import type { Store, StoreContext } from "../caches/store.ts";
import type { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { cachingKeys } from "./caching-keys.ts";
import { closingTimes } from "./closing.ts";
import { probeCache } from "./probes.ts";

/** The caches of derivatives and infos, with their hit rates. */
export interface Derivatives {
  readonly cache: Cache;
  /** The name of the kind in the configuration. */
  readonly kind: string;
  /** The cache in this process. */
  readonly front?: MemoryCache;
  /**
   * Writes a test entry to the persistent cache, reads it and removes it; throws where that fails.
   */
  attempt(signal: AbortSignal): Promise<void>;
  /** Purges recorded by other servers that share the cache; absent without a shared cache. */
  readonly back?: {
    readonly tally: CacheCallTotals;
    readonly backlog: Backlog;
    /** Keys that the sharing servers have purged. */
    readonly purges: Purges;
    /** Removes entries from this process's memory whose names begin with the prefix. */
    forget(prefixes: readonly string[]): Promise<void>;
  };
}

/** Options for opening a cache. */
export interface CacheUser {
  /** Number of processes that share the memory budget; 1. */
  readonly workers?: number;
  /** The number of this process among them, from 1; 1. */
  readonly worker?: number;
  /** Milliseconds between two checks for other servers' purges; 0 for none. */
  readonly lookMs?: number;
}

/** Maximum number of concurrent writes, and maximum bytes queued for writing. */
const writers = 8;
const waitingBytes = 67_108_864;
/** Milliseconds until a server learns of other servers' purges. */
export const purgesLookMs = 3_000;

/**
 * The configured derivative cache; undefined where none is configured. Throws where it cannot be
 * opened: an invalid setting or a missing package.
 */
export const createDerivatives = async (
  config: Config,
  log: Logger,
  { workers = 1, worker = 1, lookMs = purgesLookMs }: CacheUser = {},
): Promise<Derivatives | undefined> => {
  const settings = config.view(cachingKeys)();
  if (!settings["cache.server.derivative.enabled"]) return undefined;
  const kind = settings["cache.server.derivative"];
  if (kind === "") {
    log.warn(
      "cache.server.derivative.enabled is true, but cache.server.derivative names no cache: no derivatives are cached.",
    );
    return undefined;
  }
  const heap = config.view(memoryKeys)();
  const ttlMs = settings["cache.server.derivative.ttl_seconds"] * 1000;
  const bounds = {
    bytes: settings["cache.server.derivative.max_size"],
    entries: settings["cache.server.derivative.max_entries"],
  };
  const memoryOf = (share: number): MemoryCache =>
    createMemory({
      bytes: Math.max(1, Math.floor((heap["HeapCache.target_size"] * share) / workers)),
      entries: Math.ceil(bounds.entries / workers),
      ttlMs,
    });
  if (kind === "HeapCache") {
    const path = heap["HeapCache.persist.filesystem.pathname"];
    const front = heap["HeapCache.persist"]
      ? await persisted(memoryOf(1), {
          path: workers > 1 ? `${path}.${worker}` : path,
          closingMs: closingTimes.persisting,
          log,
        })
      : memoryOf(1);
    return { cache: front, kind, front, attempt: (signal) => probeCache(front, signal) };
  }
  const context: StoreContext = { ttlMs, bounds, log };
  const store = await openStore(config, kind, context);
  const readMs = settings["cache.server.read_timeout"] * 1000;
  const purges = await openPurges({ notes: store.notes, log, lookMs, readMs });
  const inner = sealed(store, { ...context, isGone: purges.isGone });
  const back: GuardedCache = guarded(
    inner,
    { readMs, writeMs: settings["cache.server.write_timeout"] * 1000 },
    { log },
  );
  const share = heap["HeapCache.front_share"];
  const front = share > 0 ? memoryOf(share) : undefined;
  const cache = layered(
    { front, back },
    { waitingBytes, writers, closingMs: closingTimes.writing },
  );
  const { tally } = back;
  const { backlog, forget } = cache;
  return {
    cache: {
      ...cache,
      async sweep(signal = new AbortController().signal) {
        await purges.complete((prefix, signal) => cache.remove(prefix, signal), signal);
        return cache.sweep(signal);
      },
      async close() {
        purges.close();
        await cache.close();
      },
    },
    kind,
    ...(front ? { front } : {}),
    attempt: (signal) => probeCache(inner, signal),
    back: { tally, backlog, purges, forget },
  };
};

const openStore = (config: Config, name: string, context: StoreContext): Promise<Store> => {
  const kind = stores[name];
  if (kind) return kind.open(config, context);
  const known = ["HeapCache", ...Object.keys(stores)].join(", ");
  return fail("malformed", `cache.server.derivative: expected one of ${known}; got ${name}.`);
};
