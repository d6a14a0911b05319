import type { Cache, CacheEntry } from "./cache.ts";
import type { MemoryCache } from "./memory.ts";

/** What waits to be written, and what was not since too much waited. */
export interface Backlog {
  readonly entries: number;
  readonly bytes: number;
  readonly dropped: number;
}

export interface LayeredCache extends Cache {
  readonly backlog: Backlog;
  /** Releases what is in memory only, the cache behind being somebody else's concern. */
  forget(prefixes: readonly string[]): Promise<void>;
}

export interface LayeredLimits {
  /** Most bytes that may wait to be written; entries beyond it are kept in front only. */
  readonly waitingBytes: number;
  /** How many entries are written at a time. */
  readonly writers: number;
  /** Milliseconds that closing waits for what is still to be written. */
  readonly closingMs: number;
}

interface PendingWrite {
  readonly entry: CacheEntry;
  /** The write itself, once it has begun. */
  write?: Promise<void>;
}

/**
 * A cache with memory in front of it. `put` returns before the cache behind has the entry: until
 * then it is answered from what waits.
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
      // Nobody waits for it; a guarded cache has told of it, unless it is this one that is closing.
      backlog.dropped++;
    } finally {
      forget(name, item);
      writing.delete(name);
      writeNext();
    }
  };

  /** Forgets what waits, and waits for what is being written. */
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
      // What was begun before may still come to an end; whoever removes the cache's place now must
      // be done with it.
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
            // Who is let in next must find what was put meanwhile.
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
