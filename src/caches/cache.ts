/** A cache entry: a derivative or an info. */
export interface CacheEntry {
  readonly body: Uint8Array;
  readonly storedAt: Date;
}

/**
 * Number of entries and bytes, present or removed. Undefined where a cache cannot count cheaply.
 */
export interface Amount {
  readonly entries: number;
  readonly bytes: number;
}

/** Releases a lock. */
export type Release = () => Promise<void>;

/**
 * A cache of derivatives and infos, by the names of `names.ts`. A miss is `undefined`. A failing
 * cache throws; `guarded` turns that into a miss, so callers need not handle it.
 */
export interface Cache {
  get(name: string, signal?: AbortSignal): Promise<CacheEntry | undefined>;
  /**
   * As `get`, as far as possible without waiting; absent where nothing is cached in this process.
   */
  near?(name: string): CacheEntry | undefined;
  /** Whether `near` finds an entry; does not count as use. */
  has?(name: string): boolean;
  /** Stores all of `body` or nothing. */
  put(name: string, body: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** Removes every entry whose name begins with `prefix`, "" meaning all; returns the number. */
  remove(prefix: string, signal?: AbortSignal): Promise<number>;
  /** Removes expired entries, those beyond the bounds, and remains of interrupted writers. */
  sweep(signal?: AbortSignal): Promise<Amount>;
  /** Counts entries; given a prefix that `remove` accepts, those whose names begin with it. */
  stats(signal?: AbortSignal, prefix?: string): Promise<Amount>;
  /**
   * Locks an entry for rendering among all servers that share the cache, for at most `ms`
   * milliseconds; undefined where another has the lock. Absent: no locks.
   */
  lock?(name: string, ms: number, signal?: AbortSignal): Promise<Release | undefined>;
  close(): Promise<void>;
}
