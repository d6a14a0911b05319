import type { Cache } from "../caches/cache.ts";
import { type GuardedCache, guarded, type Tally } from "../caches/guarded.ts";
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

/** Where finished images and infos are kept, and what became of asking for them. */
export interface Derivatives {
  readonly cache: Cache;
  /** The name of the kind in the configuration. */
  readonly kind: string;
  /** What is kept in this process. */
  readonly front?: MemoryCache;
  /**
   * Writes an entry where they are kept in the end, reads it and removes it; throws where that
   * fails.
   */
  attempt(signal: AbortSignal): Promise<void>;
  /** Of the kind outside this process, where there is one. */
  readonly back?: {
    readonly tally: Tally;
    readonly backlog: Backlog;
    /** What is purged from it, by whoever shares it. */
    readonly purges: Purges;
    /** Releases what this process has in memory of entries whose names begin so. */
    forget(prefixes: readonly string[]): Promise<void>;
  };
}

/** Who opens a cache. */
export interface CacheUser {
  /** How many processes share what may be kept in memory; 1. */
  readonly workers?: number;
  /** Which of them this is, from 1; 1. */
  readonly worker?: number;
  /** Milliseconds between two looks at what others purge; 0 for none. */
  readonly lookMs?: number;
}

/** How many entries are written at a time, and how many bytes may wait for it. */
const writers = 8;
const waitingBytes = 67_108_864;
/** How soon a server learns what others purge, in milliseconds. */
export const purgesLookMs = 3_000;

/**
 * The derivative cache the configuration names; undefined where it names none. Throws where the
 * kind cannot be opened at all: a wrong setting, or a missing package.
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
