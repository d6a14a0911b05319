import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { finalPathOf, isAbsent } from "../caches/filesystem-files.ts";
import { parseStored, type StoredKind } from "./names.ts";

/** A file in a folder of pyramids. */
export interface StoredFile {
  readonly path: string;
  readonly name: string;
  readonly kind: StoredKind | "temporary";
  readonly bytes: number;
  /** Last use or write in milliseconds since 1970. */
  readonly usedMs: number;
}

/** Which files to find. */
export interface FileSearch {
  /** Names begin with it; default all. */
  readonly prefix?: string;
  /** Names come after it; default all. */
  readonly after?: string;
}

/**
 * The files of a folder of pyramids, sorted by name. Files with other names are skipped, and links
 * are not followed.
 */
export async function* storedFiles(
  root: string,
  { prefix = "", after = "" }: FileSearch,
  signal: AbortSignal,
): AsyncGenerator<StoredFile> {
  for (const shard of await namesIn(root)) {
    if (!isShard(shard, { prefix, after })) continue;
    for (const file of await namesIn(join(root, shard))) {
      signal.throwIfAborted();
      const path = join(root, shard, file);
      const found = kindOf(path);
      if (!found?.name.startsWith(prefix) || found.name <= after) continue;
      const stats = await lstat(path).catch(absent);
      if (!stats?.isFile()) continue;
      const usedMs = Math.max(stats.atimeMs, stats.mtimeMs);
      yield { ...found, path, bytes: stats.size, usedMs };
    }
  }
}

/** Whether a folder of this name may contain such files. */
const isShard = (name: string, { prefix, after }: Required<FileSearch>): boolean =>
  /^[0-9a-f]{2}$/.test(name) &&
  name >= after.slice(0, 2) &&
  (prefix === "" || prefix.startsWith(name));

/** Undefined if an error means that the file does not exist; throws any other error. */
export const absent = (error: unknown): undefined => {
  if (!isAbsent(error)) throw error;
};

const namesIn = async (folder: string): Promise<readonly string[]> =>
  ((await readdir(folder).catch(absent)) ?? []).sort();

const kindOf = (path: string): Pick<StoredFile, "name" | "kind"> | undefined => {
  const final = finalPathOf(path);
  if (final === undefined) return parseStored(basename(path));
  const stored = parseStored(basename(final));
  return stored && { ...stored, kind: "temporary" };
};
