import { ServerError } from "../../core/errors.ts";
import type { PoolKind, PoolLimits } from "./kind.ts";
import type { PendingReservation, Reservation } from "./memory-reservations.ts";
import { crowded, PooledThread, type Task } from "./pooled-thread.ts";

/**
 * What a thread takes beside the memory of the decoder in it, in bytes: values of JavaScript and
 * compiled code.
 */
export const threadBase = 25_165_824;

/** Carries out jobs away from the event loop. */
export interface Pool<Job, Outcome> {
  /**
   * Waits for a thread and for its answer. Throws what `PoolFailures` says, the failure that the
   * job ended by, `busy` where too many wait, or too long, `aborted` once it is closed, and the
   * signal's reason once it is aborted. `spentMs` is what a job before it took, to which it
   * belongs, and counts as its own wait.
   */
  run(job: Job, signal: AbortSignal, spentMs?: number): Promise<Outcome>;
  /** Ends the threads; what they have under way fails. */
  close(): Promise<void>;
}

/**
 * A handful of threads that start when they are needed, for decoders that must not hold up, spoil
 * or end the server. A thread that breaks down or takes too long is ended, and the next job starts
 * another.
 *
 * To use it, write a worker module, `x-worker.ts`, that calls `answerJobs` (worker.ts), and beside
 * it
 * `createPool<Job, Outcome>(limits, { module: new URL("./x-worker", import.meta.url), failures })`,
 * once for the whole server (src/app.ts), which closes it at the end. `tileThreadLimits` has the
 * limits that the settings come to. Jobs and outcomes are values that can be cloned; large memory
 * is better handed over (`transfer`).
 */
export const createPool = <Job, Outcome>(
  limits: () => PoolLimits,
  kind: PoolKind<Job>,
): Pool<Job, Outcome> => {
  const threads = new Set<PooledThread<Job, Outcome>>();
  const waiting = new Set<Task<Job, Outcome>>();
  let closing: ServerError | undefined;
  let pending: PendingReservation | undefined;
  const { reservations, isFirstReserved = false } = kind;
  const { jobsPerThread = 1, maxWaiting = 10_000, shares = false, graceMs, about } = kind;
  const { patienceMs = Number.POSITIVE_INFINITY, togetherMs = 0 } = kind;

  const start = (reservation: Reservation | undefined): PooledThread<Job, Outcome> => {
    const thread: PooledThread<Job, Outcome> = new PooledThread(
      { limits: limits(), kind, reservation },
      {
        onRoom: next,
        onRepeat: (task) => waiting.add(task),
        onEnd() {
          threads.delete(thread);
          next();
        },
      },
    );
    threads.add(thread);
    return thread;
  };

  /** A new thread, where there may be another and there is memory for it; else it is asked for. */
  const startIfRoom = (): PooledThread<Job, Outcome> | undefined => {
    const { threads: max, reservedBytes = threadBase } = limits();
    if (threads.size >= max) return undefined;
    if (reservations === undefined || (isFirstReserved && threads.size === 0))
      return start(undefined);
    pending ??= reservations.request(threads, reservedBytes, next);
    const { reservation } = pending;
    if (reservation === undefined) return undefined;
    pending = undefined;
    return start(reservation);
  };

  const loadOf = ({ isWorn, tasks }: PooledThread<Job, Outcome>): number =>
    isWorn ? jobsPerThread : tasks.size;

  /**
   * One that is free, best one that has what the job is about; else a new one; else one that has
   * room.
   */
  const threadFor = ({ job }: Task<Job, Outcome>): PooledThread<Job, Outcome> | undefined => {
    const name = about?.(job);
    let best: PooledThread<Job, Outcome> | undefined;
    for (const thread of threads) {
      const count = loadOf(thread);
      if (count === 0 && name !== undefined && thread.knows(name)) return thread;
      if (count < (best?.tasks.size ?? jobsPerThread)) best = thread;
    }
    if (best !== undefined && best.tasks.size === 0) return best;
    return startIfRoom() ?? best;
  };

  const next = (): void => {
    for (const task of waiting) {
      const thread = threadFor(task);
      if (thread === undefined) return;
      waiting.delete(task);
      thread.give(task);
    }
    // Nothing waits any more that a further thread would be for.
    pending?.cancel();
    pending = undefined;
  };

  const abandon = (task: Task<Job, Outcome>): void => {
    task.abandoned = true;
    const isWaiting = waiting.delete(task);
    if (isWaiting || !shares) task.reject(task.signal.reason);
    if (isWaiting || graceMs === undefined) return;
    for (const thread of threads) if (thread.tasks.has(task)) thread.hurry(graceMs);
  };

  /**
   * Ends the wait of a task once it takes too long; where there is no bound, nothing has to be
   * watched.
   */
  const watch = (task: Task<Job, Outcome>, ms: number): NodeJS.Timeout | undefined => {
    if (task.until === Number.POSITIVE_INFINITY) return undefined;
    return setTimeout(() => {
      if (waiting.delete(task)) task.reject(crowded());
    }, ms).unref();
  };

  return {
    run(job, signal, spentMs = 0) {
      return new Promise<Outcome>((resolve, reject) => {
        signal.throwIfAborted();
        // A thread that started now would stay.
        if (closing !== undefined) throw closing;
        if (waiting.size >= maxWaiting)
          throw new ServerError("busy", `Expected less than ${maxWaiting} jobs to wait.`);
        const { ms } = limits();
        const maxMs = Math.max(ms + patienceMs, togetherMs) - spentMs;
        const leave = (): void => abandon(task);
        const settled = (): void => {
          signal.removeEventListener("abort", leave);
          clearTimeout(timer);
        };
        const task: Task<Job, Outcome> = {
          job,
          signal,
          until: performance.now() + maxMs,
          abandoned: false,
          repeated: false,
          resolve(outcome) {
            settled();
            resolve(outcome);
          },
          reject(error) {
            settled();
            reject(error);
          },
        };
        const timer = watch(task, Math.max(0, ms - spentMs, maxMs - ms));
        signal.addEventListener("abort", leave, { once: true });
        waiting.add(task);
        next();
      });
    },

    async close() {
      const reason = new ServerError("aborted", "The server is closing.");
      closing = reason;
      pending?.cancel();
      pending = undefined;
      for (const task of waiting) task.reject(reason);
      waiting.clear();
      await Promise.all([...threads].map((thread) => thread.end(reason)));
    },
  };
};
