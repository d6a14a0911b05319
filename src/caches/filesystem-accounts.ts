import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { untilAborted } from "../core/abort.ts";
import type { Logger } from "../core/log.ts";
import type { Amount } from "./cache.ts";
import { evict } from "./filesystem-evict.ts";
import { isAbsent, removeFile } from "./filesystem-files.ts";
import { type Ledger, openLedger } from "./filesystem-ledger.ts";
import { places, type Tree } from "./filesystem-paths.ts";
import { evictionTarget, fillOf, rangeOf, shardsOf, shareOf, within } from "./filesystem-shards.ts";
import type { Range } from "./filesystem-walk.ts";
import type { Bounds } from "./store.ts";

/** The parameters of a folder's accounts. */
export interface AccountsParts {
  /** The cache's folder, with links resolved. */
  readonly root: string;
  readonly trees: readonly Tree[];
  /** Below `root`; contains the ledgers. */
  readonly ledgers: string;
  /** Maximum number of shards by folder names. */
  readonly maxShards: number;
  readonly bounds: Bounds;
  /** Milliseconds for which a used file is never removed; absent: it may be removed at once. */
  readonly inUseMs?: number;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Keeps files within bounds without knowing them all: the place is divided into shards, each with
 * its share of the bounds and a ledger, and only a shard that may exceed its share is listed.
 */
export interface Accounts {
  /** Records that so many bytes were stored at a place, and evicts where they exceed the bounds. */
  stored(place: number, bytes: number, signal: AbortSignal): Promise<void>;
  /**
   * Frees so many bytes near a place when the disk is full; returns whether there was anything to
   * remove.
   */
  makeRoom(place: number, bytes: number, signal: AbortSignal): Promise<boolean>;
  /** Lists everything: removes files unused since `before`, and those beyond the bounds. */
  sweep(
    sweep: { readonly before?: Date; readonly bounds: Bounds },
    signal: AbortSignal,
  ): Promise<Amount>;
  close(): Promise<void>;
}

/** A writer waits for eviction once a shard exceeds its bounds by this factor. */
const farOver = 1.05;
/** Maximum number of shards listed at a time. */
const listedAtOnce = 2;
/** Milliseconds for which a shard is not listed again after a failed listing. */
const restMs = 60_000;

interface Shard {
  readonly range: Range;
  /** In KiB. */
  readonly bytes: Ledger | undefined;
  readonly entries: Ledger | undefined;
  eviction?: Promise<void> | undefined;
  /** Whether something was stored that the running eviction may not have seen. */
  isLate?: boolean;
  cooldownUntil: number;
}

export const openAccounts = async (parts: AccountsParts): Promise<Accounts> => {
  const { root, trees, bounds, inUseMs, now, log } = parts;
  const count = shardsOf(bounds, parts.maxShards);
  const share = shareOf(bounds, count);
  const ledgers = join(root, parts.ledgers);
  const current = count.toString();
  const rooms = new Map<string, Promise<Amount>>();
  await forgetLedgers(ledgers, (shards, unit) => shards === current && bounds[unit] > 0);
  const shards = Array.from({ length: count }, (_, n): Shard => {
    const ledger = (unit: keyof Bounds): Ledger | undefined =>
      bounds[unit] > 0 ? openLedger(join(ledgers, current, `${n}.${unit}`)) : undefined;
    return {
      range: rangeOf(n, count),
      bytes: ledger("bytes"),
      entries: ledger("entries"),
      cooldownUntil: Number.NEGATIVE_INFINITY,
    };
  });
  const closing = new AbortController();
  const inTurn = turns(listedAtOnce);

  const listing = (range: Range, signal: AbortSignal) => {
    const nowMs = now().getTime();
    const inUse = inUseMs === undefined ? {} : { inUseMs: nowMs - inUseMs };
    return { trees, range, ...inUse, nowMs, signal };
  };

  /** Lists a shard, evicts down to its share and corrects its ledgers. */
  const settle = async (
    shard: Shard,
    { beforeMs, signal }: { readonly beforeMs: number; readonly signal: AbortSignal },
  ): Promise<Amount> => {
    const [bytes, entries] = [await shard.bytes?.length(), await shard.entries?.length()];
    const { kept, removed } = await evict(root, {
      ...listing(shard.range, signal),
      beforeMs,
      mayStay: (found) => within(share, found),
    });
    await shard.bytes?.set(Math.ceil(kept.bytes / 1024), bytes);
    await shard.entries?.set(kept.entries, entries);
    return removed;
  };

  const fillNow = async ({ bytes, entries }: Shard): Promise<number> =>
    Math.max(
      bytes ? fillOf(await bytes.length(), share.bytes / 1024) : 0,
      entries ? fillOf(await entries.length(), share.entries) : 0,
    );

  /** Evicts a shard down to its share, and again where concurrent writes exceed it. */
  const settleAll = async (shard: Shard): Promise<void> => {
    let wasCounted: boolean;
    do {
      shard.isLate = false;
      wasCounted = Number.isFinite(await fillNow(shard));
      await settle(shard, { beforeMs: 0, signal: closing.signal });
      // Files older than the ledger are in none.
    } while (shard.isLate && (!wasCounted || (await fillNow(shard)) > 1));
  };

  const begin = (shard: Shard): Promise<void> => {
    if (shard.eviction !== undefined) shard.isLate = true;
    shard.eviction ??= inTurn(() => settleAll(shard))
      .catch((error: unknown) => {
        if (closing.signal.aborted) return;
        shard.cooldownUntil = performance.now() + restMs;
        log.warn("A part of the file system cache could not be listed to evict entries.", {
          error,
          seconds: restMs / 1000,
        });
      })
      .then(() => {
        shard.eviction = undefined;
      });
    return shard.eviction;
  };

  /**
   * Evicts the least recently used files of a part of the place; concurrent callers share the
   * result.
   */
  const clear = (from: number, width: number, bytes: number): Promise<Amount> => {
    const key = `${from} ${width}`;
    const room =
      rooms.get(key) ??
      inTurn(async () => {
        const { removed } = await evict(root, {
          ...listing({ from, to: from + width }, closing.signal),
          beforeMs: 0,
          mayStay: (found) => ({
            bytes: Math.min(found.bytes * evictionTarget, found.bytes - 2 * bytes),
            entries: found.entries - 1,
          }),
        });
        return removed;
      }).finally(() => rooms.delete(key));
    rooms.set(key, room);
    return room;
  };

  return {
    async stored(place, bytes, signal) {
      const shard = shards[Math.floor((place * count) / places)];
      if (shard === undefined) return;
      const [kibibytes, entries] = await Promise.all([
        shard.bytes?.add(Math.ceil(bytes / 1024)),
        shard.entries?.add(1),
      ]);
      const fill = Math.max(
        shard.bytes ? fillOf(kibibytes, share.bytes / 1024) : 0,
        shard.entries ? fillOf(entries, share.entries) : 0,
      );
      if (fill <= 1 || performance.now() < shard.cooldownUntil) return;
      const eviction = begin(shard);
      // A ledger that was never corrected says nothing, and is no reason to wait.
      if (fill > farOver && Number.isFinite(fill)) await untilAborted(signal, eviction);
    },

    async makeRoom(place, bytes, signal) {
      // A cache so small that its neighbourhood is empty is quickly listed in a wider one.
      for (const slices of [256, 16, 1]) {
        const width = places / Math.min(slices, parts.maxShards);
        const removed = await untilAborted(signal, clear(place - (place % width), width, bytes));
        if (removed.entries > 0) return true;
      }
      return false;
    },

    async sweep({ before, bounds: wanted }, signal) {
      const removed = { entries: 0, bytes: 0 };
      const add = (some: Amount): void => {
        removed.entries += some.entries;
        removed.bytes += some.bytes;
      };
      const beforeMs = before?.getTime() ?? 0;
      if (wanted.bytes === bounds.bytes && wanted.entries === bounds.entries) {
        for (const shard of shards) add(await inTurn(() => settle(shard, { beforeMs, signal })));
        return removed;
      }
      const parts = shardsOf(wanted, places);
      for (let n = 0; n < parts; n++) {
        const { removed: some } = await evict(root, {
          ...listing(rangeOf(n, parts), signal),
          beforeMs,
          mayStay: (found) => within(shareOf(wanted, parts), found),
        });
        add(some);
      }
      return removed;
    },

    async close() {
      closing.abort();
      await Promise.allSettled([...shards.map(({ eviction }) => eviction), ...rooms.values()]);
      for (const { bytes, entries } of shards) {
        await bytes?.close();
        await entries?.close();
      }
    },
  };
};

/** Removes ledgers that nobody updates any more: they would be too low when next read. */
const forgetLedgers = async (
  folder: string,
  isKept: (shards: string, unit: keyof Bounds) => boolean,
): Promise<void> => {
  for (const shards of await namesIn(folder)) {
    if (!/^[1-9]\d{0,2}$/.test(shards)) continue;
    for (const name of await namesIn(join(folder, shards))) {
      const unit = /^\d+\.(bytes|entries)$/.exec(name)?.[1] as keyof Bounds | undefined;
      if (unit && !isKept(shards, unit)) await removeFile(join(folder, shards, name));
    }
    if ((await namesIn(join(folder, shards))).length === 0)
      await rmdir(join(folder, shards)).catch(() => undefined);
  }
};

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
};

/** Runs a bounded number of tasks at a time; the rest are queued in order. */
const turns = (max: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const lanes = Array.from({ length: max }, (): Promise<unknown> => Promise.resolve());
  let next = 0;
  return (work) => {
    const lane = next++ % max;
    const result = (lanes[lane] ?? Promise.resolve()).then(work);
    lanes[lane] = result.catch(() => undefined);
    return result;
  };
};
