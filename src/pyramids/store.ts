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

/** What is stored for a page: its pyramid, or why it has none. */
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
  /** Unused pyramids are removed after so many milliseconds; 0: never. */
  readonly ttlMs: number;
  readonly signal: AbortSignal;
}

/** The number and bytes of stored pyramids. */
export interface StoreState extends Amount {
  /** Number of pages that got none, since making it failed. */
  readonly failed: number;
}

/** A finished pyramid to be stored. */
export interface FinishedPyramid {
  readonly name: string;
  /** Its file, which the store may move. */
  readonly file: string;
  readonly facts: PageFacts;
  /** The lock it was made under: where that was taken away, it is not stored. */
  readonly lock: HeldLock;
}

/**
 * Stores pyramids under names. Several processes and servers may share it. A pyramid is whole or
 * absent, and never changed in place.
 */
export interface PyramidStore {
  /** Milliseconds until a page is looked up again, since another process may make its pyramid. */
  readonly searchMs: number;
  /** Minimum milliseconds between two sweeps after pyramids were made. */
  readonly sweepMs: number;
  /** What is stored for a page; undefined for nothing. A refusal counts for a day. */
  look(name: string, signal: AbortSignal): Promise<Stored | undefined>;
  /** The lock for making a pyramid, as `takeSharedLock` takes it. */
  lock(name: string, wait: LockWait): Promise<HeldLock | undefined>;
  /**
   * Stores a pyramid with its facts, and removes a refusal; returns false, and stores nothing,
   * where the lock was lost.
   */
  put(pyramid: FinishedPyramid, signal: AbortSignal): Promise<boolean>;
  /** Records why a page gets no pyramid, for all processes that share the store. */
  refuse(name: string, facts: PageFacts, signal: AbortSignal): Promise<void>;
  /** Removes one pyramid. */
  drop(name: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes the pyramids of an image, or all, and what is being made; returns what it removed.
   */
  remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount>;
  /** Removes unused and abandoned files, then the least recently used until the rest fits. */
  sweep(limits: SweepLimits): Promise<Amount>;
  state(signal: AbortSignal): Promise<StoreState>;
  /** Pyramids and refusals in the order of their names, beginning after `after`. */
  list(after: string, signal: AbortSignal): AsyncGenerator<ListedPyramid>;
  /** What is known of the page of a listed pyramid or refusal; undefined where it is gone. */
  facts(listed: ListedPyramid, signal: AbortSignal): Promise<PageFacts | undefined>;
  close(): Promise<void>;
}

/** Milliseconds after which making a pyramid that failed may be tried again. */
export const retryMs = 86_400_000;

/** Parts of a pyramid, and locks, that have not changed for so many milliseconds are abandoned. */
export const abandonedMs = 7_200_000;
