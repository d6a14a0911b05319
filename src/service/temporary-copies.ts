import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, statfs, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import { copiesPrefix, removeStaleCopies } from "./stale-copies.ts";

/** Keys that say where images are: other places may have other images of the same names. */
const ofSources = /^(?:source\.|(?:Http|S3|AzureStorage|Jdbc)Source\.)/;

/**
 * Of the space that is free, the most that copies take where nobody configured a folder for them.
 */
const shareOfFree = 0.5;

/** A folder for copies, and the most bytes they may take there. */
export interface TemporaryCopies {
  readonly folder: string;
  readonly maxBytes: number;
}

/**
 * The folder for copies of a server with these sources, once stale ones were removed. It may be in
 * memory, so that no more than a part of what is free is taken.
 */
export const temporaryCopies = async (config: Config, log: Logger): Promise<TemporaryCopies> => {
  const folder = await folderOf(config);
  // A server that stays up must not lose its own.
  const now = new Date();
  await utimes(folder, now, now);
  await removeStaleCopies(tmpdir(), { own: folder }).catch((err: unknown) =>
    log.warn("Copies of images that are no longer used could not be removed.", { err }),
  );
  const { bavail, bsize } = await statfs(folder);
  return { folder, maxBytes: Math.max(1, Math.floor(bavail * bsize * shareOfFree)) };
};

/**
 * A folder for copies among the system's temporary files: the same for all servers of a user that
 * have the same sources, and readable by that user only.
 */
const folderOf = async (config: Config): Promise<string> => {
  const settings = Object.entries(config.current).filter(([key]) => ofSources.test(key));
  const name = createHash("sha256").update(JSON.stringify(settings.toSorted())).digest("hex");
  const folder = join(tmpdir(), `${copiesPrefix}${name.slice(0, 16)}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(folder);
  // Somebody else may have made it, to read or to replace what is put there.
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  const isClosed = process.platform === "win32" || (found.mode & 0o077) === 0;
  if (found.isDirectory() && isOurs && isClosed) return folder;
  return mkdtemp(join(tmpdir(), copiesPrefix));
};
