import type { Stats } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** How long copies of images stay that no server adds to any more, in milliseconds: a week. */
const staleMs = 604_800_000;

/** What the temporary folders for copies are called: a hash, or a random ending, behind this. */
export const copiesPrefix = "vitrine-copies-";

/**
 * Removes folders of copies in `parent` that this user's servers left behind when their sources
 * changed: those in which nothing was changed for a week. `own` stays. A server that still runs
 * fetches what it misses again.
 */
export const removeStaleCopies = async (
  parent: string,
  { own, now = Date.now() }: { readonly own: string; readonly now?: number },
): Promise<void> => {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    if (!name.startsWith(copiesPrefix) || folder === own) continue;
    const changed = await lastChange(folder);
    if (changed !== undefined && now - changed > staleMs)
      await rm(folder, { recursive: true, force: true });
  }
};

/**
 * When something in a folder was last changed, in milliseconds; undefined for what is no folder of
 * this user's.
 */
const lastChange = async (folder: string): Promise<number | undefined> => {
  const found = await statsOf(folder);
  if (!found?.isDirectory() || !isOwn(found)) return undefined;
  let latest = found.mtimeMs;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const entry = await statsOf(join(folder, name));
    latest = Math.max(latest, entry?.mtimeMs ?? 0);
  }
  return latest;
};

/** Another server may remove what this one looks at. */
const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);

const isOwn = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid();
