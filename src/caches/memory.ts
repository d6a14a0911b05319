import { LRUCache } from "lru-cache";
import { defineKeys } from "../config/keys.ts";
import type { Amount, Cache, CacheEntry } from "./cache.ts";

export const memoryKeys = defineKeys({
  "HeapCache.target_size": {
    type: "bytes",
    default: null,
    share: "derivatives",
    min: 1,
    doc: "Maximum size of the memory cache in bytes, divided among the workers.",
    restart: true,
  },
  "HeapCache.front_share": {
    type: "number",
    default: 0.125,
    min: 0,
    max: 1,
    doc: "The part of HeapCache.target_size that is used as memory in front of another kind of cache, so that popular derivatives are not fetched from it each time; 0 for none.",
    restart: true,
  },
  "HeapCache.persist": {
    type: "boolean",
    default: false,
    doc: "Whether the HeapCache survives a restart: it is written to a file when the server stops and whenever the cache is swept, and read when the server starts.",
    restart: true,
  },
  "HeapCache.persist.filesystem.pathname": {
    type: "path",
    default: "/var/cache/cantaloupe/heap.cache",
    fileOnly: "path",
    doc: "The file for HeapCache.persist; its folder is created if missing. Each of several workers has its own, whose name ends with the worker's number, such as `heap.cache.2`.",
    restart: true,
  },
});

/** An entry in memory, and the time of its last use where that matters. */
export interface MemoryEntry {
  readonly entry: CacheEntry;
  readonly usedAt?: Date;
}

/** A cache in the memory of this process, which others may iterate. */
export interface MemoryCache extends Cache {
  near(name: string): CacheEntry | undefined;
  has(name: string): boolean;
  /** The names of all entries, least recently used last. */
  names(): readonly string[];
  /** An entry, without counting as use. */
  peek(name: string): MemoryEntry | undefined;
  /** Restores an entry, unless it has expired by now. */
  keep(name: string, kept: MemoryEntry): void;
  /** Incremented on every change. */
  changes(): number;
  /** Maximum bytes. */
  readonly capacity: number;
  /** Number and bytes of its entries. */
  readonly held: Amount;
  /** Hits and misses. */
  readonly tally: { readonly hits: number; readonly misses: number };
  /** Counts a miss of a caller that looked with `near` and will now look elsewhere. */
  miss(): void;
}

export interface MemoryLimits {
  /** At least 1. */
  readonly bytes: number;
  /** 0 for no bound. */
  readonly entries?: number;
  /** Milliseconds after which an unused entry expires; 0 for never. */
  readonly ttlMs?: number;
}

/** An LRU cache in this process. */
export const createMemory = ({ bytes, entries: max = 0, ttlMs = 0 }: MemoryLimits): MemoryCache => {
  const kept = new LRUCache<string, CacheEntry>({
    maxSize: bytes,
    ...(max > 0 ? { max: max } : {}),
    ...(ttlMs > 0 ? { ttl: ttlMs, updateAgeOnGet: true } : {}),
    // One image must not evict everything else.
    maxEntrySize: Math.max(1, Math.floor(bytes / 4)),
    sizeCalculation: sizeOf,
  });
  let changes = 0;
  const tally = { hits: 0, misses: 0 };
  /** A miss is not counted here: the caller may look again, or elsewhere. */
  const near = (name: string): CacheEntry | undefined => {
    const entry = kept.get(name);
    if (entry !== undefined) tally.hits++;
    return entry;
  };
  return {
    capacity: bytes,
    tally,
    get held() {
      return { entries: kept.size, bytes: kept.calculatedSize };
    },
    miss: () => {
      tally.misses++;
    },
    async get(name) {
      const entry = near(name);
      if (entry === undefined) tally.misses++;
      return entry;
    },
    near,
    has: (name) => kept.has(name),
    async put(name, body) {
      changes++;
      kept.set(name, { body: alone(body), storedAt: new Date() });
    },
    async remove(prefix) {
      const names = [...kept.keys()].filter((name) => name.startsWith(prefix));
      for (const name of names) kept.delete(name);
      changes += names.length;
      return names.length;
    },
    async sweep() {
      const before = { entries: kept.size, bytes: kept.calculatedSize };
      kept.purgeStale();
      return { entries: before.entries - kept.size, bytes: before.bytes - kept.calculatedSize };
    },
    async stats(_, prefix = "") {
      if (prefix === "") return { entries: kept.size, bytes: kept.calculatedSize };
      const held = { entries: 0, bytes: 0 };
      for (const [name, entry] of kept.entries()) {
        if (!name.startsWith(prefix)) continue;
        held.entries++;
        held.bytes += sizeOf(entry, name);
      }
      return held;
    },
    names: () => [...kept.keys()],
    peek(name) {
      const entry = kept.peek(name);
      if (entry === undefined) return undefined;
      if (ttlMs === 0) return { entry };
      const idleMs = ttlMs - kept.getRemainingTTL(name);
      return { entry, usedAt: new Date(Date.now() - idleMs) };
    },
    keep(name, { entry, usedAt }) {
      const idleMs = usedAt === undefined ? 0 : Date.now() - usedAt.getTime();
      if (ttlMs > 0 && idleMs >= ttlMs) return;
      kept.set(name, entry, ttlMs > 0 ? { start: performance.now() - idleMs } : {});
    },
    changes: () => changes,
    async close() {
      kept.clear();
    },
  };
};

/** Copies bytes that are a small part of a larger buffer, which would stay in memory otherwise. */
const alone = (body: Uint8Array): Uint8Array =>
  body.buffer.byteLength > body.byteLength + maxBeside ? Uint8Array.from(body) : body;

/** Maximum bytes retained beside an entry because they share its buffer. */
const maxBeside = 1_024;

/** The size of an entry in bytes. */
const sizeOf = ({ body }: CacheEntry, name: string): number =>
  body.byteLength + 2 * name.length + overhead;

/**
 * Overhead of an entry besides its body and name in bytes: the map's slots, the entry, its date.
 */
const overhead = 256;
