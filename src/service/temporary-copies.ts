import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, statfs, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import { copiesPrefix, removeStaleCopies } from "./stale-copies.ts";

/** Keys that say where images are: other places may have other images of the same name. */
const ofSources = /^(?:source\.|(?:Http|S3|AzureStorage|Jdbc)Source\.)/;

/** Maximum share of the free space for copies where no folder is configured. */
const shareOfFree = 0.5;

/** A folder for copies, and the maximum bytes in it. */
export interface TemporaryCopies {
  readonly folder: string;
  readonly maxBytes: number;
}

/**
 * The folder of copies for a server with these sources, after removing stale ones. It may be in
 * memory (tmpfs), so only part of the free space is used.
 */
export const temporaryCopies = async (config: Config, log: Logger): Promise<TemporaryCopies> => {
  const folder = await folderOf(config);
  // A long-running server must not lose its own copies.
  const now = new Date();
  await utimes(folder, now, now);
  await removeStaleCopies(tmpdir(), { own: folder }).catch((err: unknown) =>
    log.warn("Unused copies of images could not be removed.", { err }),
  );
  const { bavail, bsize } = await statfs(folder);
  return { folder, maxBytes: Math.max(1, Math.floor(bavail * bsize * shareOfFree)) };
};

/**
 * A folder among the system's temporary files: the same for all servers of a user with the same
 * sources, readable by that user only.
 */
const folderOf = async (config: Config): Promise<string> => {
  const settings = Object.entries(config.current).filter(([key]) => ofSources.test(key));
  const name = createHash("sha256").update(JSON.stringify(settings.toSorted())).digest("hex");
  const folder = join(tmpdir(), `${copiesPrefix}${name.slice(0, 16)}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(folder);
  // Another user may have created it, to read or replace the copies.
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  const isClosed = process.platform === "win32" || (found.mode & 0o077) === 0;
  if (found.isDirectory() && isOurs && isClosed) return folder;
  return mkdtemp(join(tmpdir(), copiesPrefix));
};
