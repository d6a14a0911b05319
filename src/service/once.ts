import type { Cache, Release } from "../caches/cache.ts";
import { sleep } from "../core/abort.ts";

/** Times for which servers that share a cache wait for one another, in milliseconds. */
export interface LockTimes {
  /** Maximum time for which one of them holds the lock of an image. */
  readonly lockMs: number;
  /** Between two checks of those who wait; doubles up to eight times as much. */
  readonly lookMs: number;
}

export const defaultLockTimes: LockTimes = { lockMs: 60_000, lookMs: 25 };

/**
 * Renders an image once among all servers that share a cache: a server that does not get its lock
 * waits until the entry exists, the lock is free, or its time is over, and then renders after all.
 * A cache without locks, or with failing ones, changes nothing. `draw` also writes the entry.
 */
export const renderOnceAmongServers = async (
  {
    cache,
    name,
    signal,
  }: { readonly cache: Cache; readonly name: string; readonly signal: AbortSignal },
  draw: () => Promise<Uint8Array>,
  { lockMs, lookMs }: LockTimes = defaultLockTimes,
): Promise<Uint8Array> => {
  const end = performance.now() + lockMs;
  for (let pause = lookMs; ; pause = Math.min(pause * 2, lookMs * 8)) {
    const release = await cache.lock?.(name, lockMs, signal);
    if (release !== undefined) return drawAlone({ cache, name, signal, release }, draw);
    if (cache.lock === undefined || performance.now() >= end) return draw();
    await sleep(pause, signal);
    const entry = await cache.get(name, signal);
    if (entry) return entry.body;
  }
};

const drawAlone = async (
  {
    cache,
    name,
    signal,
    release,
  }: {
    readonly cache: Cache;
    readonly name: string;
    readonly signal: AbortSignal;
    readonly release: Release;
  },
  draw: () => Promise<Uint8Array>,
): Promise<Uint8Array> => {
  try {
    // The lock's previous holder may have written it since our lookup.
    return (await cache.get(name, signal))?.body ?? (await draw());
  } finally {
    // No need to wait for the release; locks expire.
    release().catch(() => undefined);
  }
};
