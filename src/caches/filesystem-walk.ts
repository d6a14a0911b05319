import { lstat, readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { finalPathOf, isAbsent, statFile } from "./filesystem-files.ts";
import { places, type Tree } from "./filesystem-paths.ts";

/** A part of a tree: the places from `from` up to, but excluding, `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export const wholeRange: Range = { from: 0, to: places };

/** Our files in one folder. */
export interface Folder {
  readonly path: string;
  /** Entries by file name. */
  readonly entries: readonly string[];
  /** Temporary files of running or dead writers. */
  readonly temporary: readonly string[];
}

export interface FileWalk {
  readonly trees: readonly Tree[];
  readonly range?: Range;
  readonly signal: AbortSignal;
}

/** Maximum number of folders read at a time, and of files examined in each. */
const concurrentFolders = 4;
const concurrentFiles = 8;

/**
 * Visits every folder of the trees that contains our files, whatever the levels they were written
 * with. Links are not followed, and files and folders with other names are skipped.
 */
export const walk = async (
  root: string,
  { trees, range = wholeRange, signal }: FileWalk,
  visit: (folder: Folder) => Promise<void>,
): Promise<void> => {
  const into = async (path: string, tree: Tree, digits: string): Promise<void> => {
    signal.throwIfAborted();
    const children = await readFolder(path);
    const folders = children
      .filter((child) => child.isDirectory() && isFolder(digits + child.name))
      .map(({ name }) => name);
    if (begins(range, digits)) {
      const files = children.filter((child) => child.isFile()).map(({ name }) => name);
      const entries = files.filter((name) => tree.file.test(name));
      const temporary = files.filter((name) => tree.file.test(finalPathOf(name) ?? ""));
      if (entries.length + temporary.length > 0) await visit({ path, entries, temporary });
    }
    // Nested folders one after the other, to bound concurrency.
    const concurrency = digits === "" ? concurrentFolders : 1;
    const meeting = folders.filter((name) => meets(range, digits + name));
    await inParallel(meeting, concurrency, (name) => into(join(path, name), tree, digits + name));
  };
  for (const tree of trees) {
    const path = join(root, tree.folder);
    if (await isOwnFolder(path)) await into(path, tree, "");
  }
};

/** An entry in the file system. */
export interface FileEntry {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly usedMs: number;
}

/** Calls back for every file of a folder; those deleted meanwhile are skipped. */
export const walkFiles = (
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
  files: readonly string[],
  see: (file: FileEntry) => Promise<void> | void,
): Promise<void> =>
  inParallel(files, concurrentFiles, async (name) => {
    signal.throwIfAborted();
    const file = `${path}${sep}${name}`;
    const stats = await statFile(file);
    if (stats) await see({ path: file, size: stats.size, usedMs: stats.mtimeMs });
  });

/** Processes each item, a bounded number at a time; the first error ends it. */
export const inParallel = async <T>(
  items: readonly T[],
  max: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const rest = items.values();
  let hasFailed = false;
  const run = async (): Promise<void> => {
    for (const item of rest) {
      if (hasFailed) return;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, run));
};

const readFolder = async (path: string) => {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
};

const isOwnFolder = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

/** Whether a name consists of the digits of our folders. */
const isFolder = (digits: string): boolean => /^[0-9a-f]{1,3}$/.test(digits);

/** The number of places that a folder with these digits covers. */
const width = (digits: string): number => places / 16 ** digits.length;

const start = (digits: string): number => Number.parseInt(digits || "0", 16) * width(digits);

const begins = ({ from, to }: Range, digits: string): boolean =>
  start(digits) >= from && start(digits) < to;

const meets = ({ from, to }: Range, digits: string): boolean =>
  start(digits) < to && start(digits) + width(digits) > from;
