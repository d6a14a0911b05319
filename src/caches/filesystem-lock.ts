import { randomBytes } from "node:crypto";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf, lookAt, removeFile } from "./filesystem-files.ts";

/** How locks behave; all in milliseconds. */
export interface LockTimes {
  /** The holder gives a sign of life so often. */
  readonly signMs: number;
  /** Who gave none for so long holds the lock no longer. */
  readonly deadMs: number;
  /** Who waits looks so often. */
  readonly lookMs: number;
}

export const usualLockTimes: LockTimes = { signMs: 2_000, deadMs: 10_000, lookMs: 200 };

/** Gives a lock back; never fails. */
export type Unlock = () => Promise<void>;

/**
 * Waits for a lock that is a file, and takes it; undefined as soon as `isDone` holds while somebody
 * else has it. It spares work, no more: under unlucky timing two may hold it, so what is done under
 * it must be right without it.
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
    // Whether it changes, not how old it is: clocks of other machines differ.
    const now = (await lookAt(path))?.mtimeMs;
    if (now !== sign) [sign, seenAt] = [now, performance.now()];
    else if (performance.now() - seenAt > deadMs) await removeFile(path);
  }
  const signs = setInterval(() => {
    const at = new Date();
    // A sign that fails is as good as none; the next one may not.
    utimes(path, at, at).catch(() => undefined);
  }, signMs);
  signs.unref();
  return async () => {
    clearInterval(signs);
    // Where it was taken over, it is not ours to remove; where it cannot be, it is soon taken for
    // dead.
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
