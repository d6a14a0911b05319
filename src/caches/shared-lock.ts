import { randomBytes } from "node:crypto";
import { sleep } from "../core/abort.ts";

/** The timing of locks, in milliseconds. */
export interface LockTimes {
  /** Interval of the holder's heartbeat. */
  readonly signMs: number;
  /** Age of the last heartbeat after which a lock is free. */
  readonly deadMs: number;
  /** Polling interval of waiters. */
  readonly lookMs: number;
}

/** Releases a lock; never fails. */
export type Unlock = () => Promise<void>;

/** A lock in a place that processes share. */
export interface LockPlace {
  /** Creates the lock with the holder's mark; false if it exists. */
  create(mark: string): Promise<boolean>;
  /** The mark of the lock; undefined if it does not exist. */
  mark(): Promise<string | undefined>;
  /** Records the holder's heartbeat; does nothing if the lock does not exist. */
  beat(): Promise<void>;
  /** A value that each heartbeat changes; undefined if the lock does not exist. */
  lastBeat(): Promise<number | undefined>;
  remove(): Promise<void>;
}

/** A lock that this process holds. */
export interface HeldLock {
  /** Whether it has not been removed or taken over. */
  isHeld(): Promise<boolean>;
  readonly release: Unlock;
}

/** How to wait for a lock. */
export interface LockWait {
  /** Ends the wait while another process holds the lock. */
  readonly isDone: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/**
 * Waits for a lock and takes it; undefined as soon as `isDone` holds while another process has it.
 * The lock only avoids duplicate work: in rare cases two processes hold it, so the work must be
 * correct without it.
 */
export const takeSharedLock = async (
  place: LockPlace,
  { signMs, deadMs, lookMs }: LockTimes,
  { isDone, signal }: LockWait,
): Promise<HeldLock | undefined> => {
  const mark = randomBytes(16).toString("hex");
  let beat: number | undefined;
  let seenAt = performance.now();
  while (!(await place.create(mark))) {
    if (await isDone()) return undefined;
    await sleep(lookMs, signal);
    // Compares successive heartbeats rather than ages, since clocks of machines differ.
    const now = await place.lastBeat();
    if (now !== beat) [beat, seenAt] = [now, performance.now()];
    else if (performance.now() - seenAt > deadMs) await place.remove();
  }
  // A failed heartbeat counts as missing; the next one may succeed.
  const beats = setInterval(() => void place.beat().catch(() => undefined), signMs);
  beats.unref();
  const isHeld = async (): Promise<boolean> => (await place.mark()) === mark;
  return {
    isHeld,
    release: async () => {
      clearInterval(beats);
      // A lock that was taken over must not be removed; one that cannot be removed expires soon.
      if (await isHeld().catch(() => false)) await place.remove().catch(() => undefined);
    },
  };
};
