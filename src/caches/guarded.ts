import type { Logger } from "../core/log.ts";
import type { Cache } from "./cache.ts";

/** Time limits of cache calls, and pauses after failures. All in milliseconds. */
export interface CallTimeLimits {
  readonly readMs: number;
  readonly writeMs: number;
  /** First pause after a failure; doubles with each further failure. */
  readonly restMs?: number;
  readonly maxRestMs?: number;
}

/** Totals of calls to a cache. */
export interface CacheCallTotals {
  readonly hits: number;
  readonly misses: number;
  readonly failures: number;
  /** Calls skipped during a pause. */
  readonly spared: number;
}

/** A cache that makes the server slower at worst, never wrong. */
export interface GuardedCache extends Cache {
  readonly tally: CacheCallTotals;
}

const usualRestMs = 1_000;
const usualMostRestMs = 30_000;

/**
 * A cache whose reads and writes never fail their caller: every call has a deadline, errors are
 * logged, counted and treated as misses, and after a failure the cache pauses before one call tries
 * again. Explicit calls (`remove`, `sweep`, `stats`) fail as they do.
 */
export const guarded = (
  cache: Cache,
  { readMs, writeMs, restMs = usualRestMs, maxRestMs = usualMostRestMs }: CallTimeLimits,
  { log, now = () => performance.now() }: { readonly log: Logger; readonly now?: () => number },
): GuardedCache => {
  const tally = { hits: 0, misses: 0, failures: 0, spared: 0 };
  let rest = restMs;
  let cooldownUntil = Number.NEGATIVE_INFINITY;

  const failed = (deed: string, error: unknown): void => {
    tally.failures++;
    // Calls in flight when it broke report the same; one line is enough.
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
            // Without a cache to ask, there is no lock to wait for.
            return asked ? asked.release : async () => {};
          },
        }
      : {}),
    close: () => cache.close(),
  };
};

/** The result of a call, or its deadline's reason: a client may not heed its signal. */
const within = <T>(deadline: AbortSignal, outcome: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = (): void => reject(deadline.reason);
    deadline.addEventListener("abort", end, { once: true });
    outcome.then(resolve, reject).finally(() => deadline.removeEventListener("abort", end));
  });
