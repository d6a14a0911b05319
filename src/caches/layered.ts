import type { Cache, CacheEntry } from "./cache.ts";
import type { MemoryCache } from "./memory.ts";

/** Bytes queued for writing, and entries not written because the queue was full. */
export interface Backlog {
  readonly entries: number;
  readonly bytes: number;
  readonly dropped: number;
}

export interface LayeredCache extends Cache {
  readonly backlog: Backlog;
  /** Removes entries from memory only, the cache behind being shared. */
  forget(prefixes: readonly string[]): Promise<void>;
}

export interface LayeredLimits {
  /** Maximum bytes queued for writing; entries beyond it stay in memory only. */
  readonly waitingBytes: number;
  /** Maximum number of concurrent writes. */
  readonly writers: number;
  /** Milliseconds that closing waits for queued writes. */
  readonly closingMs: number;
}

interface PendingWrite {
  readonly entry: CacheEntry;
  /** The write itself, once it has begun. */
  write?: Promise<void>;
}

/**
 * A cache with memory in front of it. `put` returns before the cache behind has the entry: until
 * then reads are served from the queue.
 */
export const layered = (
  { front, back }: { readonly front: MemoryCache | undefined; readonly back: Cache },
  { waitingBytes, writers, closingMs }: LayeredLimits,
): LayeredCache => {
  const waiting = new Map<string, PendingWrite>();
  const writing = new Map<string, PendingWrite>();
  const backlog = { entries: 0, bytes: 0, dropped: 0 };
  const closing = new AbortController();
  let isClosed = false;

  const forget = (name: string, item: PendingWrite): void => {
    if (waiting.get(name) === item) waiting.delete(name);
    backlog.entries--;
    backlog.bytes -= item.entry.body.byteLength;
  };

  const writeNext = (): void => {
    for (const [name, item] of waiting) {
      if (writing.size >= writers) return;
      // Two writers of one entry could end in either order.
      if (writing.has(name)) continue;
      writing.set(name, item);
      item.write = write(name, item);
    }
  };

  const write = async (name: string, item: PendingWrite): Promise<void> => {
    try {
      await back.put(name, item.entry.body, closing.signal);
    } catch {
      // Nobody waits for it; a guarded cache has logged it, unless this one is closing.
      backlog.dropped++;
    } finally {
      forget(name, item);
      writing.delete(name);
      writeNext();
    }
  };

  /** Drops the queue, and waits for running writes. */
  const cancel = async (prefix: string): Promise<void> => {
    for (const [name, item] of waiting)
      if (name.startsWith(prefix) && item.write === undefined) forget(name, item);
    const underWay = [...writing].filter(([name]) => name.startsWith(prefix));
    await Promise.all(underWay.map(([, { write }]) => write));
  };

  const written = async (name: string): Promise<void> => {
    while (waiting.has(name))
      await (waiting.get(name)?.write ??
        Promise.race([...writing.values()].map(({ write }) => write)));
  };

  const near = (name: string): CacheEntry | undefined =>
    waiting.get(name)?.entry ?? front?.near(name);

  return {
    backlog,

    near,
    has: (name) => waiting.has(name) || front?.has(name) === true,

    async get(name, signal) {
      const found = near(name);
      if (found) return found;
      front?.miss();
      const far = await back.get(name, signal);
      if (far) await front?.put(name, far.body);
      return far;
    },

    async put(name, body) {
      await front?.put(name, body);
      // Earlier writes may still finish; a caller that removes the cache's folder next must not
      // race with them.
      if (isClosed) return;
      const before = waiting.get(name);
      if (before && before.write === undefined) forget(name, before);
      if (backlog.bytes + body.byteLength > waitingBytes) {
        backlog.dropped++;
        return;
      }
      backlog.entries++;
      backlog.bytes += body.byteLength;
      waiting.set(name, { entry: { body, storedAt: new Date() } });
      writeNext();
    },

    async forget(prefixes) {
      await Promise.all(prefixes.flatMap((prefix) => [front?.remove(prefix), cancel(prefix)]));
    },

    async remove(prefix, signal) {
      const [near = 0] = await Promise.all([front?.remove(prefix), cancel(prefix)]);
      return Math.max(near, await back.remove(prefix, signal));
    },

    async sweep(signal) {
      await front?.sweep(signal);
      return back.sweep(signal);
    },

    stats: (signal, prefix) => back.stats(signal, prefix),

    ...(back.lock
      ? {
          async lock(name, ms, signal) {
            const release = await back.lock?.(name, ms, signal);
            if (release === undefined) return undefined;
            // Later readers must find what was put meanwhile.
            return async () => {
              await written(name);
              await release();
            };
          },
        }
      : {}),

    async close() {
      const limit = setTimeout(() => closing.abort(), closingMs);
      while (writing.size > 0) await Promise.all([...writing.values()].map(({ write }) => write));
      clearTimeout(limit);
      isClosed = true;
      await front?.close();
      await back.close();
    },
  };
};
