import { randomUUID } from "node:crypto";
import {
  copyFile,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { takeLock, type Unlock, usualLockTimes } from "../caches/filesystem-lock.ts";
import { found } from "../conversion/atomic-file.ts";
import { fail } from "../core/errors.ts";
import type { ExportTarget, TargetFile } from "./target.ts";

/** The folder in an export for incomplete files. */
export const temporaryFolder = ".vitrine-export";

/** The lock file of an export in its folder. */
const lockFile = ".vitrine-export.lock";

/** Milliseconds until the lock of a killed export counts as abandoned. */
const lockMs = usualLockTimes.deadMs + 2_000;

/**
 * Opens a folder to export to, creates it if needed, and removes incomplete files of killed
 * exports. Throws `busy` if another export uses it; calls `onWait` before waiting for one.
 */
export const openFolderTarget = async (
  root: string,
  { onWait, signal }: { readonly onWait: () => void; readonly signal: AbortSignal },
): Promise<ExportTarget> => {
  const aside = join(root, temporaryFolder);
  await mkdir(root, { recursive: true });
  const unlock = await lockOn(join(root, lockFile), { onWait, signal });
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  const folders = new Set<string>();

  const prepared = async (path: string): Promise<string> => {
    const to = join(root, path);
    const folder = dirname(to);
    if (!folders.has(folder)) await mkdir(folder, { recursive: true });
    if (folders.size >= maxRemembered) folders.clear();
    folders.add(folder);
    return to;
  };

  const place = async (path: string, make: (temporary: string) => Promise<void>): Promise<void> => {
    const temporary = join(aside, randomUUID());
    try {
      await make(temporary);
      await rename(temporary, await prepared(path));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };

  return {
    place: root,

    async read(path) {
      const there = await found(join(root, path));
      return there?.isFile() ? readFile(join(root, path)) : undefined;
    },

    async has(path) {
      const there = await found(join(root, path));
      return there?.isFile() === true && there.size > 0n;
    },

    async write([first, ...others], { bytes }: TargetFile, signal) {
      if (first === undefined) return;
      signal.throwIfAborted();
      await place(first, (temporary) => writeFile(temporary, bytes, { flag: "wx" }));
      for (const other of others)
        await place(other, (temporary) => linkOrCopy(join(root, first), temporary));
    },

    async remove(paths, signal) {
      const emptied = new Set<string>();
      for (const path of paths) {
        signal.throwIfAborted();
        await rm(join(root, path), { force: true });
        emptied.add(dirname(path));
      }
      folders.clear();
      for (const folder of emptied) await removeEmpty(root, folder);
    },

    async close() {
      await rm(aside, { recursive: true, force: true });
      await unlock();
    },
  };
};

const lockOn = async (
  path: string,
  { onWait, signal }: { readonly onWait: () => void; readonly signal: AbortSignal },
): Promise<Unlock> => {
  let began: number | undefined;
  const isDone = async (): Promise<boolean> => {
    if (began === undefined) {
      began = performance.now();
      onWait();
    }
    return performance.now() - began > lockMs;
  };
  const unlock = await takeLock(path, usualLockTimes, { isDone, signal });
  return (
    unlock ??
    fail(
      "busy",
      `Another export writes to this folder (${lockFile}). Wait for it, or choose another folder.`,
    )
  );
};

/** Maximum number of folders that are known to exist. */
const maxRemembered = 10_000;

const linkOrCopy = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to);
  } catch {
    // The file system has no hard links, or the file has the maximum number of them.
    await copyFile(from, to);
  }
};

/** Removes a folder and its parents as long as they are empty. */
const removeEmpty = async (root: string, folder: string): Promise<void> => {
  for (let at = folder; at !== "." && at !== ""; at = dirname(at))
    try {
      await rmdir(join(root, at));
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") continue;
      if (["ENOTEMPTY", "EEXIST"].includes(code)) return;
      throw error;
    }
};

/** Whether the file system of a folder ignores case in names. */
export const foldsCase = async (root: string): Promise<boolean> => {
  const upper = temporaryFolder.toUpperCase();
  try {
    await stat(join(root, upper));
    return true;
  } catch {
    return false;
  }
};
