/** Something kept: a finished image, or what is known of an image. */
export interface CacheEntry {
  readonly body: Uint8Array;
  readonly storedAt: Date;
}

/** How much there is, or how much was let go of. Undefined where a kind cannot say it cheaply. */
export interface Amount {
  readonly entries: number;
  readonly bytes: number;
}

/** Gives a lock back. */
export type Release = () => Promise<void>;

/**
 * Somewhere derivatives and infos are kept, by the names of `names.ts`. A miss is `undefined`. A
 * cache that is broken throws; `guarded` makes a miss of that, so no caller has to.
 */
export interface Cache {
  get(name: string, signal?: AbortSignal): Promise<CacheEntry | undefined>;
  /**
   * What `get` would find without waiting for anything; absent where nothing is kept in this
   * process.
   */
  near?(name: string): CacheEntry | undefined;
  /** Whether `near` finds an entry; counts as no use of it. */
  has?(name: string): boolean;
  /** Stores all of `body` or nothing. */
  put(name: string, body: Uint8Array, signal?: AbortSignal): Promise<void>;
  /**
   * Removes every entry whose name begins with `prefix`, "" being all of them; how many there were.
   */
  remove(prefix: string, signal?: AbortSignal): Promise<number>;
  /** Releases what is too old or too much, and of what broken writers left behind. */
  sweep(signal?: AbortSignal): Promise<Amount>;
  /** How much is kept; given a prefix that `remove` takes, of the entries whose names begin so. */
  stats(signal?: AbortSignal, prefix?: string): Promise<Amount>;
  /**
   * Claims the drawing of an entry among all servers that share the cache, for at most `ms`
   * milliseconds; undefined where somebody else has it. Absent: this kind has no locks.
   */
  lock?(name: string, ms: number, signal?: AbortSignal): Promise<Release | undefined>;
  close(): Promise<void>;
}
