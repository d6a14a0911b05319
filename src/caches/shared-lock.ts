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

/** A place that processes share, where a lock may be. */
export interface LockPlace {
  /** Puts a lock with the holder's mark there; false where there is one. */
  create(mark: string): Promise<boolean>;
  /** The mark of the lock there; undefined where there is none. */
  mark(): Promise<string | undefined>;
  /** Records the holder's heartbeat; does nothing where there is no lock. */
  beat(): Promise<void>;
  /** A value that each heartbeat changes; undefined where there is no lock. */
  lastBeat(): Promise<number | undefined>;
  remove(): Promise<void>;
}

/** A lock that this process has taken. */
export interface HeldLock {
  /** Whether nobody removed it or took it over meanwhile. */
  isHeld(): Promise<boolean>;
  readonly release: Unlock;
}

/** How to wait for a lock. */
export interface LockWait {
  /** Ends the wait while another process has the lock. */
  readonly isDone: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/**
 * Waits for a lock, and takes it; undefined as soon as `isDone` holds while another process has it.
 * It only saves work: under unlucky timing two may hold it, so what is done under it must be
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
    // Compares successive heartbeats rather than ages: clocks of other machines differ.
    const now = await place.lastBeat();
    if (now !== beat) [beat, seenAt] = [now, performance.now()];
    else if (performance.now() - seenAt > deadMs) await place.remove();
  }
  // A failed heartbeat is like a missing one; the next may succeed.
  const beats = setInterval(() => void place.beat().catch(() => undefined), signMs);
  beats.unref();
  const isHeld = async (): Promise<boolean> => (await place.mark()) === mark;
  return {
    isHeld,
    release: async () => {
      clearInterval(beats);
      // A lock that was taken over is not ours to remove; one that cannot be removed soon expires.
      if (await isHeld().catch(() => false)) await place.remove().catch(() => undefined);
    },
  };
};
