import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { settleWithin } from "../core/abort.ts";
import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { imageHash } from "../core/plan.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Amount } from "./cache.ts";
import { createFolders, openRoot } from "./filesystem.ts";
import { openAccounts } from "./filesystem-accounts.ts";
import {
  isFull,
  lockPath,
  markUsed,
  removeFile,
  statFile,
  temporaryPathOf,
} from "./filesystem-files.ts";
import { type LockTimes, takeLock, usualLockTimes } from "./filesystem-lock.ts";
import { amountIn, removeBeginning } from "./filesystem-many.ts";
import { fileOf, folderOf, placeOf, type Tree } from "./filesystem-paths.ts";
import { CopyFailed, copying, type DownloadRequest, receive } from "./source-download.ts";

/**
 * Copies of stored images as files of this machine, each downloaded once for all callers in this
 * process and others. An existing file is complete. It may be removed at any time, but not within a
 * minute of its last use; callers that have it open can read it to its end.
 */
export interface SourceFiles {
  /** Whether a file of so many bytes is copied at all. */
  takes(size: number): boolean;
  /**
   * The path of a complete copy. Throws `CopyFailed` where this machine cannot make one,
   * `SourceChanged` where the source has another version by now, `upstream` where the image does
   * not arrive whole, and whatever `download` throws.
   */
  fetch(wanted: DownloadRequest, signal: AbortSignal): Promise<string>;
  /** Whether there is a complete copy; asking counts as its use. */
  has(wanted: Pick<DownloadRequest, "identifier" | "version" | "size">): Promise<boolean>;
  /** Removes one copy. */
  drop(wanted: Pick<DownloadRequest, "identifier" | "version">): Promise<void>;
  /** Removes the copies of all versions of an image, or of all images; returns the number. */
  remove(identifier: string | undefined, signal: AbortSignal): Promise<number>;
  /** Removes expired copies, those beyond the bounds, and remains of dead writers. */
  sweep(signal: AbortSignal): Promise<Amount>;
  stats(signal: AbortSignal): Promise<Amount>;
  close(): Promise<void>;
}

export interface SourceFilesParts {
  /** FilesystemCache.pathname. */
  readonly pathname: string;
  /** Milliseconds after which an unused copy expires; 0 for never. */
  readonly ttlMs: number;
  /** Maximum bytes of all copies; 0 for no bound. */
  readonly bytes: number;
  readonly log: Logger;
  readonly now?: () => Date;
  readonly lockTimes?: LockTimes;
  /** Milliseconds without data after which a download is aborted. */
  readonly stallMs?: number;
  /** Milliseconds that closing waits for aborted downloads, since a disk may be slow; 2,000. */
  readonly closingMs?: number;
}

const sourceTree: Tree = { folder: "source", file: /^[0-9a-f]{32}_[0-9a-f]{32}\.vtr$/ };
/** There are few of them, so a level of 256 folders is plenty. */
const levels = [2];

const attempts = 2;
const usualStallMs = 60_000;
/** Milliseconds after its last use for which a copy stays: its path may have been handed out. */
const inUseMs = 60_000;
/** Minimum milliseconds between two recorded uses of a copy. */
const touchedMs = 20_000;
/** A file that takes more of the bound than this is not copied: it would evict most others. */
const largestShare = 0.5;

/** Opens the copies in a folder; throws `malformed` where that fails. */
export const openSourceFiles = async (parts: SourceFilesParts): Promise<SourceFiles> => {
  const { ttlMs, log, now = () => new Date(), lockTimes = usualLockTimes } = parts;
  const root = await openRoot(parts.pathname);
  const bounds = { bytes: parts.bytes, entries: 0 };
  const folders = createFolders(root);
  const accounts = await openAccounts({
    root,
    trees: [sourceTree],
    ledgers: join("ledger", "source"),
    // Files may be as large as any share of the bound would be.
    maxShards: 1,
    bounds,
    inUseMs,
    now,
    log,
  });
  const flights = new SingleFlight<string>();
  const underWay = new Set<Promise<string>>();
  const closing = new AbortController();
  const largest = bounds.bytes > 0 ? bounds.bytes * largestShare : Number.POSITIVE_INFINITY;

  /** Whether there is a copy; asking counts as use. */
  const find = async (path: string, size: number | undefined): Promise<boolean> => {
    if (!(await folders.has(dirname(path)))) return false;
    const stats = await statFile(path);
    if (stats === undefined || (size !== undefined && stats.size !== size)) return false;
    if (stats.mtimeMs < now().getTime() - touchedMs) await markUsed(path, now());
    return true;
  };

  const download = async (
    wanted: DownloadRequest,
    path: string,
    signal: AbortSignal,
  ): Promise<number> => {
    const temporary = temporaryPathOf(path);
    const handle = await copying(() => open(temporary, "wx", 0o600));
    try {
      let written: number;
      try {
        const stallMs = parts.stallMs ?? usualStallMs;
        written = await receive(wanted, handle, { largest, stallMs, signal });
        // A renamed file must be complete even after a power failure: a copy has no checksum.
        await copying(() => handle.sync());
      } finally {
        await handle.close();
      }
      signal.throwIfAborted();
      await copying(() => rename(temporary, path));
      return written;
    } catch (error) {
      await removeFile(temporary).catch((cause: unknown) =>
        log.warn("A partial copy of a stored image could not be removed.", { error: cause }),
      );
      throw error;
    }
  };

  /** Tries once more where that may help. */
  const tryToDownload = async (wanted: DownloadRequest, path: string, signal: AbortSignal) => {
    for (let left = attempts - 1; ; left--) {
      try {
        return await download(wanted, path, signal);
      } catch (error) {
        if (left === 0 || signal.aborted || isFinal(error)) throw error;
        if (error instanceof CopyFailed && !(await makeRoom(error, wanted, signal))) throw error;
      }
    }
  };

  const makeRoom = async (
    { cause }: CopyFailed,
    { identifier, version, size }: DownloadRequest,
    signal: AbortSignal,
  ): Promise<boolean> =>
    isFull(cause) &&
    accounts.makeRoom(placeOf(resolveName({ identifier, version })), size ?? 0, signal);

  const fetchOnce = async (
    wanted: DownloadRequest,
    path: string,
    signal: AbortSignal,
  ): Promise<string> => {
    const isDone = (): Promise<boolean> => find(path, wanted.size);
    const unlock = await copying(async () => {
      let taken: Awaited<ReturnType<typeof takeLock>>;
      await folders.within(dirname(path), async () => {
        taken = await takeLock(lockPath(path), lockTimes, { isDone, signal });
      });
      return taken;
    });
    if (unlock === undefined) return path;
    try {
      // It may have been completed between the first check and the lock.
      if (await isDone()) return path;
      const written = await tryToDownload(wanted, path, signal);
      await copying(() => accounts.stored(placeOf(resolveName(wanted)), written, signal));
      return path;
    } finally {
      await unlock();
    }
  };

  /** As `fetchOnce`, to the end; closing waits for it even where no caller does any more. */
  const fetchToEnd = async (
    wanted: DownloadRequest,
    path: string,
    signal: AbortSignal,
  ): Promise<string> => {
    const fetching = fetchOnce(wanted, path, AbortSignal.any([signal, closing.signal]));
    underWay.add(fetching);
    try {
      return await fetching;
    } finally {
      underWay.delete(fetching);
    }
  };

  const pathOf = (wanted: Pick<DownloadRequest, "identifier" | "version">): string => {
    const name = resolveName(wanted);
    return join(root, folderOf(name, levels), fileOf(name));
  };

  return {
    takes: (size) => size <= largest,

    async fetch(wanted, signal) {
      const path = pathOf(wanted);
      if (await copying(() => find(path, wanted.size))) return path;
      return flights.run(path, signal, (shared) => fetchToEnd(wanted, path, shared));
    },

    has: (wanted) => find(pathOf(wanted), wanted.size),

    async drop(wanted) {
      const path = pathOf(wanted);
      if (await folders.has(dirname(path))) await removeFile(path);
    },

    remove: (identifier, signal) => {
      const beginning = identifier === undefined ? "" : `${imageHash(identifier)}_`;
      return removeBeginning(root, [sourceTree], { beginning, signal });
    },

    sweep: (signal) =>
      accounts.sweep(
        { bounds, ...(ttlMs > 0 ? { before: new Date(now().getTime() - ttlMs) } : {}) },
        signal,
      ),

    stats: (signal) => amountIn(root, [sourceTree], { beginning: "", signal }),

    async close() {
      closing.abort();
      // Removes partial files and locks.
      await settleWithin(underWay, parts.closingMs ?? 2_000);
      await accounts.close();
    },
  };
};

/** Built like the names of derivatives: a part for the image, a part for its version. */
const resolveName = ({
  identifier,
  version,
}: Pick<DownloadRequest, "identifier" | "version">): string =>
  `source/${imageHash(identifier)}/${imageHash(version)}`;

/** Whether a retry would give the same result. */
const isFinal = (error: unknown): boolean =>
  error instanceof SourceChanged ||
  (error instanceof ServerError &&
    ["missing", "denied", "unauthenticated"].includes(error.failure));
