import type { Amount } from "./cache.ts";
import { places } from "./filesystem-paths.ts";
import type { Range } from "./filesystem-walk.ts";
import type { Bounds } from "./store.ts";

/** Minimum content of a shard, while there are few. */
const shardBytes = 67_108_864;
const shardEntries = 4_096;
const maxShards = 256;

/** The fraction of its bounds to which an overfull shard is evicted. */
export const evictionTarget = 0.95;

/** Number of shards of a place: a power of two, from 1 to 256. */
export const shardsOf = ({ bytes, entries }: Bounds, max: number): number => {
  const fitting = Math.min(
    bytes > 0 ? bytes / shardBytes : Number.POSITIVE_INFINITY,
    entries > 0 ? entries / shardEntries : Number.POSITIVE_INFINITY,
  );
  if (!Number.isFinite(fitting)) return 1;
  return 2 ** Math.max(0, Math.floor(Math.log2(Math.min(fitting, max, maxShards))));
};

/** Maximum size of an entry in bytes: it must evict neither most others nor its whole shard. */
export const largestEntry = (bounds: Bounds, max: number): number =>
  bounds.bytes === 0
    ? Number.POSITIVE_INFINITY
    : Math.floor(
        Math.min(bounds.bytes / 4, (bounds.bytes / shardsOf(bounds, max)) * evictionTarget),
      );

/** The places of a shard, counted from 0, of so many. */
export const rangeOf = (shard: number, count: number): Range => ({
  from: (shard * places) / count,
  to: ((shard + 1) * places) / count,
});

/** The bounds of each of so many shards. */
export const shareOf = ({ bytes, entries }: Bounds, count: number): Bounds => ({
  bytes: bytes / count,
  entries: entries / count,
});

/** How much of what was found may stay, by bounds of which 0 is none. */
export const within = (share: Bounds, found: Amount): Amount => {
  const isOver =
    (share.bytes > 0 && found.bytes > share.bytes) ||
    (share.entries > 0 && found.entries > share.entries);
  if (!isOver) return found;
  const staying = (bound: number): number =>
    bound > 0 ? Math.floor(bound * evictionTarget) : Number.POSITIVE_INFINITY;
  return { bytes: staying(share.bytes), entries: staying(share.entries) };
};

/**
 * How full a shard is by its ledger, 1 meaning exactly full; infinite where it was never corrected.
 */
export const fillOf = (length: number | undefined, max: number): number =>
  length === undefined ? Number.POSITIVE_INFINITY : length / max;
