import type { Amount } from "./cache.ts";
import { removeFile } from "./filesystem-files.ts";
import type { Tree } from "./filesystem-paths.ts";
import { type FileEntry, inParallel, type Range, walk, walkFiles } from "./filesystem-walk.ts";

/** What to remove in a part of some trees. */
export interface Eviction {
  readonly trees: readonly Tree[];
  readonly range?: Range;
  /** Files unused since then, in milliseconds since 1970; 0 for none. */
  readonly beforeMs: number;
  /** How much of the rest may stay: the least recently used are removed first. */
  readonly mayStay: (found: Amount) => Amount;
  /** Files used since then stay; absent: none are protected. */
  readonly inUseMs?: number;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** What a listing found and left, and what it removed. */
export interface Evicted {
  readonly kept: Amount;
  readonly removed: Amount;
}

/** Temporary files younger than this, in milliseconds, may still be being written. */
const abandonedMs = 600_000;

const removedAtOnce = 8;

/**
 * Lists a part of some trees and removes expired files, those beyond the bounds, and remains of
 * dead writers. Others may do the same concurrently: what they removed counts as removed.
 */
export const evict = async (
  root: string,
  { trees, range, beforeMs, mayStay, inUseMs = Number.POSITIVE_INFINITY, nowMs, signal }: Eviction,
): Promise<Evicted> => {
  const files: FileEntry[] = [];
  const found = { entries: 0, bytes: 0 };
  const removed = { entries: 0, bytes: 0 };

  const remove = async ({ path, size }: FileEntry): Promise<void> => {
    signal.throwIfAborted();
    await removeFile(path);
    removed.entries++;
    removed.bytes += size;
  };

  await walk(root, { trees, ...(range ? { range } : {}), signal }, async (folder) => {
    const place = { path: folder.path, signal };
    await walkFiles(place, folder.temporary, async ({ path, usedMs }) => {
      if (usedMs < nowMs - abandonedMs) await removeFile(path);
    });
    await walkFiles(place, folder.entries, async (file) => {
      if (file.usedMs < Math.min(beforeMs, inUseMs)) return remove(file);
      found.entries++;
      found.bytes += file.size;
      files.push(file);
    });
  });

  const stays = mayStay(found);
  const left = { ...found };
  if (left.bytes > stays.bytes || left.entries > stays.entries) {
    files.sort((one, other) => one.usedMs - other.usedMs);
    const going: FileEntry[] = [];
    for (const file of files) {
      if (left.bytes <= stays.bytes && left.entries <= stays.entries) break;
      if (file.usedMs >= inUseMs) break;
      going.push(file);
      left.entries--;
      left.bytes -= file.size;
    }
    await inParallel(going, removedAtOnce, remove);
  }
  return { kept: left, removed };
};
