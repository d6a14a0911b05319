import type { Keys, Settings } from "../config/keys.ts";

export interface Entry {
  readonly body: Uint8Array;
  readonly storedAt: Date;
}

/**
 * Somewhere derivatives are kept. A miss is `undefined`. A cache that is broken throws,
 * and whoever asked carries on as if it had missed.
 */
export interface Cache {
  get(key: string, signal?: AbortSignal): Promise<Entry | undefined>;
  /** Stores all of `body` or nothing. */
  put(key: string, body: Uint8Array): Promise<void>;
  /** Removes every entry whose key begins with `prefix`. */
  remove(prefix: string): Promise<void>;
  close?(): Promise<void>;
}

/** A kind of cache: the keys it owns, and how to make one. */
export interface CacheKind<K extends Keys> {
  readonly keys: K;
  create(settings: Settings<K>): Cache | Promise<Cache>;
}

export const defineCache = <const K extends Keys>(kind: CacheKind<K>): CacheKind<K> => kind;
