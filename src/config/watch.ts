import { type FSWatcher, type Stats, unwatchFile, watch, watchFile } from "node:fs";
import { basename, dirname } from "node:path";

/** Watches a set of files. */
export interface FileWatch {
  /** Watches these files, present or not, and no others. */
  follow(paths: readonly string[]): void;
  /** Stops watching for good. */
  close(): void;
}

/**
 * Calls `changed` once files have been unchanged for `settleMs` after a change. Folders are
 * watched, since editors rename files; where the system does not report changes (network file
 * systems, replaced links), polling every two seconds does.
 */
export const watchFiles = (changed: () => void, settleMs: number): FileWatch => {
  const folders = new Map<string, FSWatcher | undefined>();
  const looks = new Map<string, CompareStats>();
  let names: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const stir = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, settleMs);
  };
  const heard = (name: string | null) => {
    if (name === null || names.has(name)) stir();
  };
  const watchAll = (paths: readonly string[]) => {
    names = new Set(paths.map((path) => basename(path)));
    adjust(folders, new Set(paths.map((path) => dirname(path))), {
      open: (folder) => watchFolder(folder, heard),
      shut: (_, watcher) => watcher?.close(),
    });
    adjust(looks, new Set(paths), {
      open: (path) => lookAt(path, stir),
      shut: (path, look) => unwatchFile(path, look),
    });
  };
  return {
    follow: (paths) => {
      if (!closed) watchAll(paths);
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      watchAll([]);
    },
  };
};

type CompareStats = (now: Stats, before: Stats) => void;

const lookMs = 2000;

const lookAt = (path: string, stir: () => void): CompareStats => {
  const look: CompareStats = (now, before) => {
    // Reading a file changes only its access time, which must not cause another reading.
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino)
      stir();
  };
  watchFile(path, { interval: lookMs, persistent: false }, look);
  return look;
};

const watchFolder = (
  folder: string,
  heard: (name: string | null) => void,
): FSWatcher | undefined => {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => heard(name));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    // The folder is gone or the system has no more watches: polling remains.
    return undefined;
  }
};

interface Adjusting<T> {
  readonly open: (name: string) => T;
  readonly shut: (name: string, thing: T) => void;
}

/** Closes watches that are no longer needed and opens missing ones. */
const adjust = <T>(
  things: Map<string, T>,
  wanted: ReadonlySet<string>,
  { open, shut }: Adjusting<T>,
): void => {
  for (const [name, thing] of things) {
    if (wanted.has(name)) continue;
    shut(name, thing);
    things.delete(name);
  }
  for (const name of wanted) if (!things.has(name)) things.set(name, open(name));
};
