import type { Keys, Settings } from "../config/keys.ts";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import type { Amount, Release } from "./cache.ts";

/**
 * Bytes as they lie in a store, and when they were last put or used, to within a tenth of their
 * time to live.
 */
export interface StoredBytes {
  readonly bytes: Uint8Array;
  readonly usedAt: Date;
}

/** What a store may hold; 0 for no bound. */
export interface Bounds {
  readonly bytes: number;
  readonly entries: number;
}

/**
 * What to let go of: everything not used since `before` where that is given, then the least
 * recently used beyond the bounds.
 */
export interface Sweep {
  readonly before?: Date;
  readonly bounds: Bounds;
}

/**
 * A few bytes beside the entries, for the servers that share a store to tell each other something:
 * neither counted nor swept, nor removed with entries.
 */
export interface Notes {
  read(signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Replaces all of them or nothing. */
  write(bytes: Uint8Array, signal: AbortSignal): Promise<void>;
}

/**
 * Where the bytes of entries are kept, under the names of `names.ts`. Every call takes a signal and
 * heeds it; what is broken throws. Whatever dies in the middle, and whoever else uses the same
 * place, an entry is whole or absent. Only what a store itself wrote is ever removed.
 */
export interface Store {
  readonly notes: Notes;
  get(name: string, signal: AbortSignal): Promise<StoredBytes | undefined>;
  put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Notes that an entry was used. Absent: it is noted by `get`, or by the place itself. */
  touch?(name: string, signal: AbortSignal): Promise<void>;
  /** Removes the entries whose names begin with `prefix`; how many there were. */
  remove(prefix: string, signal: AbortSignal): Promise<number>;
  /** Releases what is too old or too much, and of what broken writers left behind. */
  sweep(sweep: Sweep, signal: AbortSignal): Promise<Amount>;
  /** How much it holds; given a prefix that `remove` takes, of the entries whose names begin so. */
  stats(signal: AbortSignal, prefix?: string): Promise<Amount>;
  lock?(name: string, ms: number, signal: AbortSignal): Promise<Release | undefined>;
  close(): Promise<void>;
}

/** What a store is opened with beside its own settings. */
export interface StoreContext {
  /** Milliseconds an entry may lie unused; 0 for no end. */
  readonly ttlMs: number;
  /** A store that keeps to them at every `put` needs no sweep for it. */
  readonly bounds: Bounds;
  readonly log: Logger;
  readonly now?: () => Date;
}

/**
 * A kind of store as its module has it: the keys it owns, and how to open one. Clients of others'
 * are loaded by `open`.
 */
interface TypedKind<K extends Keys> {
  readonly keys: K;
  open(settings: Settings<K>, context: StoreContext): Promise<Store>;
}

/** A kind of store, whatever its keys are. */
export interface StoreKind<K extends Keys = Keys> {
  readonly keys: K;
  /**
   * Opens one as the configuration says; throws `malformed` where a setting or a package is
   * missing.
   */
  open(config: Pick<Config, "view">, context: StoreContext): Promise<Store>;
}

export const defineStore = <const K extends Keys>(kind: TypedKind<K>): StoreKind<K> => ({
  keys: kind.keys,
  open: (config, context) => kind.open(config.view(kind.keys)(), context),
});
