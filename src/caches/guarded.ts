import type { Logger } from "../core/log.ts";
import type { Cache } from "./cache.ts";

/** How long a cache may take, and how it is treated once it fails. All in milliseconds. */
export interface Patience {
  readonly readMs: number;
  readonly writeMs: number;
  /**
   * A cache that failed is left alone for so long at first, twice as long after each further
   * failure.
   */
  readonly restMs?: number;
  readonly maxRestMs?: number;
}

/** What became of calls to a cache. */
export interface Tally {
  readonly hits: number;
  readonly misses: number;
  readonly failures: number;
  /** Calls that were not made, since the cache had failed shortly before. */
  readonly spared: number;
}

/** A cache that makes the server slower at worst, never wrong. */
export interface GuardedCache extends Cache {
  readonly tally: Tally;
}

const usualRestMs = 1_000;
const usualMostRestMs = 30_000;

/**
 * A cache whose reading and writing never fails its caller: every call has a deadline, what is
 * broken is logged and counted and counts as a miss, and after a failure the cache rests for a
 * while before one call tries again. What somebody asked for by hand (`remove`, `sweep`, `stats`)
 * fails as it fails.
 */
export const guarded = (
  cache: Cache,
  { readMs, writeMs, restMs = usualRestMs, maxRestMs = usualMostRestMs }: Patience,
  { log, now = () => performance.now() }: { readonly log: Logger; readonly now?: () => number },
): GuardedCache => {
  const tally = { hits: 0, misses: 0, failures: 0, spared: 0 };
  let rest = restMs;
  let cooldownUntil = Number.NEGATIVE_INFINITY;

  const failed = (deed: string, error: unknown): void => {
    tally.failures++;
    // Those that were under way when it broke say the same; one line is enough.
    if (now() < cooldownUntil) return;
    cooldownUntil = now() + rest;
    log.warn(`The derivative cache could not be ${deed}. Backing off before retrying.`, {
      error,
      seconds: rest / 1000,
    });
    rest = Math.min(rest * 2, maxRestMs);
  };

  const attempt = async <T>(
    deed: string,
    ms: number,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> => {
    if (now() < cooldownUntil) {
      tally.spared++;
      return undefined;
    }
    const deadline = AbortSignal.timeout(ms);
    try {
      const result = await within(
        deadline,
        call(signal ? AbortSignal.any([signal, deadline]) : deadline),
      );
      rest = restMs;
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      failed(deed, error);
      return undefined;
    }
  };

  return {
    tally,
    async get(name, signal) {
      const entry = await attempt("read", readMs, signal, (both) => cache.get(name, both));
      if (entry) tally.hits++;
      else tally.misses++;
      return entry;
    },
    async put(name, body, signal) {
      await attempt("written to", writeMs, signal, (both) => cache.put(name, body, both));
    },
    remove: (prefix, signal) => cache.remove(prefix, signal),
    sweep: (signal) => cache.sweep(signal),
    stats: (signal, prefix) => cache.stats(signal, prefix),
    ...(cache.lock
      ? {
          async lock(name, ms, signal) {
            const asked = await attempt("locked", readMs, signal, async (both) => ({
              release: await cache.lock?.(name, ms, both),
            }));
            // Without a cache to ask, nobody can be kept from working.
            return asked ? asked.release : async () => {};
          },
        }
      : {}),
    close: () => cache.close(),
  };
};

/**
 * The outcome of a call, or its deadline's reason: a client may not heed the signal it was given.
 */
const within = <T>(deadline: AbortSignal, outcome: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = (): void => reject(deadline.reason);
    deadline.addEventListener("abort", end, { once: true });
    outcome.then(resolve, reject).finally(() => deadline.removeEventListener("abort", end));
  });
