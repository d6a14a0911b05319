import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { settledWithin } from "../core/abort.ts";
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
  lookAt,
  markUsed,
  removeFile,
  temporaryPath,
} from "./filesystem-files.ts";
import { type LockTimes, takeLock, usualLockTimes } from "./filesystem-lock.ts";
import { amountIn, removeBeginning } from "./filesystem-many.ts";
import { fileOf, folderOf, placeOf, type Tree } from "./filesystem-paths.ts";
import { CopyFailed, copying, type DownloadRequest, receive } from "./source-download.ts";

/**
 * Copies of stored images as files of this machine, each fetched once for all who want it, in this
 * process and in others. A file that is there is complete. It may be removed at any time, but not
 * within a minute of its last use; whoever has opened it by then can read it to its end.
 */
export interface SourceFiles {
  /** Whether a file of so many bytes is copied at all. */
  takes(size: number): boolean;
  /**
   * The path of a complete copy. Throws `CopyFailed` where there cannot be one for reasons of this
   * machine, `SourceChanged` where another version is there by now, `upstream` where the image does
   * not arrive whole, and whatever `download` throws.
   */
  fetch(wanted: DownloadRequest, signal: AbortSignal): Promise<string>;
  /** Releases one copy. */
  drop(wanted: Pick<DownloadRequest, "identifier" | "version">): Promise<void>;
  /** Removes the copies of all versions of an image, or of all images; how many there were. */
  remove(identifier: string | undefined, signal: AbortSignal): Promise<number>;
  /**
   * Releases what was not used for too long, of what is too much, and of what broken writers
   * left.
   */
  sweep(signal: AbortSignal): Promise<Amount>;
  stats(signal: AbortSignal): Promise<Amount>;
  close(): Promise<void>;
}

export interface SourceFilesParts {
  /** FilesystemCache.pathname. */
  readonly pathname: string;
  /** Milliseconds a copy may lie unused; 0 for no end. */
  readonly ttlMs: number;
  /** Most bytes of all copies; 0 for no bound. */
  readonly bytes: number;
  readonly log: Logger;
  readonly now?: () => Date;
  readonly lockTimes?: LockTimes;
  /** Milliseconds after which a download that brings nothing is given up. */
  readonly stallMs?: number;
  /**
   * Milliseconds that closing waits for fetches that it gives up, since a disk may be slow; 2,000.
   */
  readonly closingMs?: number;
}

const sourceTree: Tree = { folder: "source", file: /^[0-9a-f]{32}_[0-9a-f]{32}\.vtr$/ };
/** There are few of them, so a level of 256 folders is plenty. */
const levels = [2];

const attempts = 2;
const usualStallMs = 60_000;
/** What was used so lately, in milliseconds, stays: its path may have been handed out. */
const inUseMs = 60_000;
/** The use of a copy is noted no more often than this, in milliseconds. */
const touchedMs = 20_000;
/** A file that takes more of the bound than this is not copied: it would push out most others. */
const largestShare = 0.5;

/** Opens the copies in a folder; throws `malformed` where there cannot be one. */
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

  /** Whether there is a copy; that it is wanted counts as a use. */
  const find = async (path: string, size: number | undefined): Promise<boolean> => {
    if (!(await folders.has(dirname(path)))) return false;
    const stats = await lookAt(path);
    if (stats === undefined || (size !== undefined && stats.size !== size)) return false;
    if (stats.mtimeMs < now().getTime() - touchedMs) await markUsed(path, now());
    return true;
  };

  const download = async (
    wanted: DownloadRequest,
    path: string,
    signal: AbortSignal,
  ): Promise<number> => {
    const temporary = temporaryPath(path);
    const handle = await copying(() => open(temporary, "wx", 0o600));
    try {
      let written: number;
      try {
        const stallMs = parts.stallMs ?? usualStallMs;
        written = await receive(wanted, handle, { largest, stallMs, signal });
        // What is renamed must be whole even after the power went: a copy has no checksum.
        await copying(() => handle.sync());
      } finally {
        await handle.close();
      }
      signal.throwIfAborted();
      await copying(() => rename(temporary, path));
      return written;
    } catch (error) {
      await removeFile(temporary).catch((cause: unknown) =>
        log.warn("A part of a stored image could not be removed.", { error: cause }),
      );
      throw error;
    }
  };

  /** Tries once more where it may help. */
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
      // It may have landed between the first look and the lock.
      if (await isDone()) return path;
      const written = await tryToDownload(wanted, path, signal);
      await copying(() => accounts.stored(placeOf(resolveName(wanted)), written, signal));
      return path;
    } finally {
      await unlock();
    }
  };

  /** As `fetchOnce`, until the end; closing waits for it even where nobody else does any more. */
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
      // Parts of files and locks are removed.
      await settledWithin(underWay, parts.closingMs ?? 2_000);
      await accounts.close();
    },
  };
};

/**
 * As the names of derivatives are made: a part for the image, a part for which of its states it is.
 */
const resolveName = ({
  identifier,
  version,
}: Pick<DownloadRequest, "identifier" | "version">): string =>
  `source/${imageHash(identifier)}/${imageHash(version)}`;

/** Whether trying again would come to the same. */
const isFinal = (error: unknown): boolean =>
  error instanceof SourceChanged ||
  (error instanceof ServerError &&
    ["missing", "denied", "unauthenticated"].includes(error.failure));
