import type { Keys, Settings } from "../config/keys.ts";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import type { Amount, Release } from "./cache.ts";

/**
 * Stored bytes, and the time of their last write or use, to within a tenth of their time to live.
 */
export interface StoredBytes {
  readonly bytes: Uint8Array;
  readonly usedAt: Date;
}

/** Bounds of a store; 0 for no bound. */
export interface Bounds {
  readonly bytes: number;
  readonly entries: number;
}

/**
 * What to remove: everything unused since `before` where given, then the least recently used beyond
 * the bounds.
 */
export interface Sweep {
  readonly before?: Date;
  readonly bounds: Bounds;
}

/**
 * A few bytes beside the entries, for communication between servers that share a store: neither
 * counted nor swept, nor removed with entries.
 */
export interface Notes {
  read(signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Replaces all of them or nothing. */
  write(bytes: Uint8Array, signal: AbortSignal): Promise<void>;
}

/**
 * Stores the bytes of entries under the names of `names.ts`. Every call takes a signal and heeds
 * it; errors are thrown. Whatever dies in the middle, and whoever else uses the same place, an
 * entry is whole or absent. A store only ever removes what a store wrote.
 */
export interface Store {
  readonly notes: Notes;
  get(name: string, signal: AbortSignal): Promise<StoredBytes | undefined>;
  put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Records a use. Absent: `get` records it, or the place itself. */
  touch?(name: string, signal: AbortSignal): Promise<void>;
  /** Removes the entries whose names begin with `prefix`; returns the number. */
  remove(prefix: string, signal: AbortSignal): Promise<number>;
  /** Removes expired entries, those beyond the bounds, and remains of dead writers. */
  sweep(sweep: Sweep, signal: AbortSignal): Promise<Amount>;
  /** Counts entries; given a prefix that `remove` accepts, those whose names begin with it. */
  stats(signal: AbortSignal, prefix?: string): Promise<Amount>;
  lock?(name: string, ms: number, signal: AbortSignal): Promise<Release | undefined>;
  close(): Promise<void>;
}

/** Options of a store besides its own settings. */
export interface StoreContext {
  /** Milliseconds after which an unused entry expires; 0 for never. */
  readonly ttlMs: number;
  /** A store that applies them on every `put` needs no sweep for it. */
  readonly bounds: Bounds;
  readonly log: Logger;
  readonly now?: () => Date;
}

/**
 * A kind of store as its module exports it: its keys, and how to open one. `open` loads client
 * libraries.
 */
interface TypedKind<K extends Keys> {
  readonly keys: K;
  open(settings: Settings<K>, context: StoreContext): Promise<Store>;
}

/** A kind of store, whatever its keys are. */
export interface StoreKind<K extends Keys = Keys> {
  readonly keys: K;
  /** Opens a store by its settings; throws `malformed` where a setting or a package is missing. */
  open(config: Pick<Config, "view">, context: StoreContext): Promise<Store>;
}

export const defineStore = <const K extends Keys>(kind: TypedKind<K>): StoreKind<K> => ({
  keys: kind.keys,
  open: (config, context) => kind.open(config.view(kind.keys)(), context),
});
