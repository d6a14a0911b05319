import { randomBytes } from "node:crypto";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf, removeFile, statFile } from "./filesystem-files.ts";

/** The timing of locks, in milliseconds. */
export interface LockTimes {
  /** Interval of the holder's heartbeat. */
  readonly signMs: number;
  /** Age of the last heartbeat after which a lock is free. */
  readonly deadMs: number;
  /** Polling interval of waiters. */
  readonly lookMs: number;
}

export const usualLockTimes: LockTimes = { signMs: 2_000, deadMs: 10_000, lookMs: 200 };

/** Releases a lock; never fails. */
export type Unlock = () => Promise<void>;

/**
 * Waits for a lock that is a file, and takes it; undefined as soon as `isDone` holds while another
 * process has it. It only saves work: under unlucky timing two may hold it, so what is done under
 * it must be correct without it.
 */
export const takeLock = async (
  path: string,
  { signMs, deadMs, lookMs }: LockTimes,
  { isDone, signal }: { readonly isDone: () => Promise<boolean>; readonly signal: AbortSignal },
): Promise<Unlock | undefined> => {
  const mark = randomBytes(16).toString("hex");
  let sign: number | undefined;
  let seenAt = performance.now();
  while (!(await create(path, mark))) {
    if (await isDone()) return undefined;
    await pause(lookMs, undefined, { signal });
    // Compares successive heartbeats rather than ages: clocks of other machines differ.
    const now = (await statFile(path))?.mtimeMs;
    if (now !== sign) [sign, seenAt] = [now, performance.now()];
    else if (performance.now() - seenAt > deadMs) await removeFile(path);
  }
  const signs = setInterval(() => {
    const at = new Date();
    // A failed heartbeat is like a missing one; the next may succeed.
    utimes(path, at, at).catch(() => undefined);
  }, signMs);
  signs.unref();
  return async () => {
    clearInterval(signs);
    // A lock that was taken over is not ours to remove; one that cannot be removed soon expires.
    if ((await readFile(path, "utf8").catch(() => "")) === mark)
      await removeFile(path).catch(() => false);
  };
};

const create = async (path: string, mark: string): Promise<boolean> => {
  try {
    await writeFile(path, mark, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
};
