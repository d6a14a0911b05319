import type { Amount } from "../caches/cache.ts";
import type { HeldLock, LockWait } from "../caches/shared-lock.ts";
import type { SourceObject } from "../core/source.ts";
import type { PageFacts } from "./facts.ts";

/** A stored pyramid, located but not read. */
export interface StoredPyramid {
  readonly bytes: number;
  readonly object: SourceObject;
  /** Records its use, for eviction; never fails. */
  use(): Promise<void>;
}

/** The stored state of a page: its pyramid, or the reason for refusing one. */
export type Stored =
  | { readonly kind: "ready"; readonly pyramid: StoredPyramid }
  | { readonly kind: "refused"; readonly reason: string };

/** A stored pyramid or refusal in a listing. */
export interface ListedPyramid {
  readonly name: string;
  readonly kind: "pyramid" | "refusal";
  readonly bytes: number;
  /** Last use in milliseconds since 1970, or the time of the refusal. */
  readonly usedMs: number;
}

/** Limits of a sweep. */
export interface SweepLimits {
  /** Of all pyramids together. */
  readonly maxBytes: number;
  /** Milliseconds without use after which a pyramid is removed; 0: never. */
  readonly ttlMs: number;
  readonly signal: AbortSignal;
}

/** The number and bytes of stored pyramids. */
export interface StoreState extends Amount {
  /** Number of refused pages. */
  readonly failed: number;
}

/** A finished pyramid to store. */
export interface FinishedPyramid {
  readonly name: string;
  /** Its file, which the store may move. */
  readonly file: string;
  readonly facts: PageFacts;
  /** The lock of its job; if it was removed, the pyramid is not stored. */
  readonly lock: HeldLock;
}

/**
 * Stores pyramids by name. Several processes and servers may share it. A pyramid is complete or
 * absent, and never changed in place.
 */
export interface PyramidStore {
  /** Milliseconds until a page is looked up again, since another process may make its pyramid. */
  readonly searchMs: number;
  /** Minimum milliseconds between two sweeps after pyramids were made. */
  readonly sweepMs: number;
  /** The stored state of a page; undefined if there is none. A refusal is valid for a day. */
  look(name: string, signal: AbortSignal): Promise<Stored | undefined>;
  /** The lock for making a pyramid, as `takeSharedLock` takes it. */
  lock(name: string, wait: LockWait): Promise<HeldLock | undefined>;
  /**
   * Stores a pyramid with its facts and removes a refusal. If the lock was lost, stores nothing and
   * returns false.
   */
  put(pyramid: FinishedPyramid, signal: AbortSignal): Promise<boolean>;
  /** Records a refusal with its reason, for all processes that share the store. */
  refuse(name: string, facts: PageFacts, signal: AbortSignal): Promise<void>;
  /** Removes one pyramid. */
  drop(name: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes the pyramids of an image, or all, and the locks of jobs; returns what it removed.
   */
  remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount>;
  /** Removes unused and abandoned files, then the least recently used ones until the rest fits. */
  sweep(limits: SweepLimits): Promise<Amount>;
  state(signal: AbortSignal): Promise<StoreState>;
  /** Pyramids and refusals sorted by name, after the name `after`. */
  list(after: string, signal: AbortSignal): AsyncGenerator<ListedPyramid>;
  /** The facts of a listed pyramid or refusal; undefined if it no longer exists. */
  facts(listed: ListedPyramid, signal: AbortSignal): Promise<PageFacts | undefined>;
  close(): Promise<void>;
}

/** Milliseconds for which a refusal is valid. */
export const retryMs = 86_400_000;

/** Milliseconds without change after which partial files and locks count as abandoned. */
export const abandonedMs = 7_200_000;
