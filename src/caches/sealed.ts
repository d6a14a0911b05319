import type { Cache } from "./cache.ts";
import { seal, unseal } from "./envelope.ts";
import type { Store, StoreContext } from "./store.ts";

/** The fraction of its time to live within which an entry's use is recorded only once. */
const touchedEvery = 0.1;
/** Interval of recording where entries never expire, in milliseconds: eviction depends on it. */
const touchedAtLeast = 3_600_000;

export interface SealedContext extends StoreContext {
  /** Whether an entry stored at a time is purged; default: none is. */
  readonly isGone?: (name: string, storedAt: Date) => boolean;
}

/**
 * A cache over a store: entries are sealed, so that corrupt ones are detected, removed and count as
 * misses; so do expired and purged ones.
 */
export const sealed = (
  store: Store,
  { ttlMs, bounds, log, now = () => new Date(), isGone }: SealedContext,
): Cache => {
  const endless = new AbortController().signal;
  const touchMs = ttlMs === 0 ? touchedAtLeast : Math.min(ttlMs * touchedEvery, touchedAtLeast);

  const drop = async (name: string, signal: AbortSignal): Promise<undefined> => {
    await store.remove(name, signal);
    return undefined;
  };

  return {
    async get(name, signal = endless) {
      const kept = await store.get(name, signal);
      if (kept === undefined) return undefined;
      const idle = now().getTime() - kept.usedAt.getTime();
      if (ttlMs > 0 && idle >= ttlMs) return drop(name, signal);
      const entry = unseal(name, kept.bytes);
      if (entry === undefined) {
        log.warn("Corrupt cache entry deleted; it will be regenerated.", {
          entry: name,
        });
        return drop(name, signal);
      }
      // The purging server is about to remove it.
      if (isGone?.(name, entry.storedAt)) return undefined;
      if (idle >= touchMs) await store.touch?.(name, signal);
      return entry;
    },

    put: (name, body, signal = endless) =>
      store.put(name, seal(name, { body, storedAt: now() }), signal),

    remove: (prefix, signal = endless) => store.remove(prefix, signal),

    sweep: (signal = endless) =>
      store.sweep(
        { bounds, ...(ttlMs > 0 ? { before: new Date(now().getTime() - ttlMs) } : {}) },
        signal,
      ),

    stats: (signal = endless, prefix) => store.stats(signal, prefix),

    ...(store.lock
      ? {
          lock: (name, ms, signal = endless) =>
            store.lock?.(name, ms, signal) ?? Promise.resolve(undefined),
        }
      : {}),

    close: () => store.close(),
  };
};
