import type { Stats } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Milliseconds after which unused folders of copies are removed: a week. */
const staleMs = 604_800_000;

/** Prefix of temporary folders for copies; a hash or a random suffix follows. */
export const copiesPrefix = "vitrine-copies-";

/**
 * Removes folders of copies in `parent` that this user's servers left behind when their sources
 * changed: those unchanged for a week. `own` stays. A server that still runs fetches missing copies
 * again.
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
 * The time of a folder's last change, in milliseconds; undefined for anything but a folder of this
 * user's.
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

/** Another server may remove the folder at the same time. */
const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);

const isOwn = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid();
