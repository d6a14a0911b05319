import { readFile, utimes, writeFile } from "node:fs/promises";
import { codeOf, isAbsent, removeFile, statFile } from "./filesystem-files.ts";
import {
  type LockPlace,
  type LockTimes,
  type LockWait,
  takeSharedLock,
  type Unlock,
} from "./shared-lock.ts";

export type { LockTimes, Unlock } from "./shared-lock.ts";

export const usualLockTimes: LockTimes = { signMs: 2_000, deadMs: 10_000, lookMs: 200 };

/** Takes a lock that is a file, as `takeSharedLock` does. */
export const takeLock = async (
  path: string,
  times: LockTimes,
  wait: LockWait,
): Promise<Unlock | undefined> => (await takeSharedLock(fileLock(path), times, wait))?.release;

/** A lock that is a file. */
export const fileLock = (path: string): LockPlace => ({
  async create(mark) {
    try {
      await writeFile(path, mark, { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  },
  async mark() {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  },
  async beat() {
    const at = new Date();
    await utimes(path, at, at);
  },
  lastBeat: async () => (await statFile(path))?.mtimeMs,
  async remove() {
    await removeFile(path);
  },
});
