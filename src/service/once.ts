import type { Cache, Release } from "../caches/cache.ts";
import { sleep } from "../core/abort.ts";

/** How those that share a cache wait for one another, in milliseconds. */
export interface LockTimes {
  /** For how long one of them may have the drawing of an image to itself. */
  readonly lockMs: number;
  /** Between two looks of those who wait; it doubles up to eight times as much. */
  readonly lookMs: number;
}

export const defaultLockTimes: LockTimes = { lockMs: 60_000, lookMs: 25 };

/**
 * Draws an image once among all servers that share a cache: who cannot have its lock waits until
 * the entry is there, the lock is free, or its time is over, and draws then after all. A kind
 * without locks changes nothing, and neither does a broken one. `draw` also puts the entry.
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
    // The one before may have put it between our look and our lock.
    return (await cache.get(name, signal))?.body ?? (await draw());
  } finally {
    // Nobody has to wait for that here; a lock that stays runs out.
    release().catch(() => undefined);
  }
};
