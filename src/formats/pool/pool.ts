import { ServerError } from "../../core/errors.ts";
import type { PoolKind, PoolLimits } from "./kind.ts";
import type { PendingReservation, Reservation } from "./memory-reservations.ts";
import { PooledThread, type Task, waitLeftTooLittle } from "./pooled-thread.ts";

/** Memory of a thread besides its decoder in bytes: JavaScript values and compiled code. */
export const threadBase = 25_165_824;

/** How to run a job. */
export interface RunOptions<Outcome> {
  /** Duration of an earlier job that this one belongs to, in milliseconds: counts as its own wait. */
  readonly spentMs?: number;
  /** Gets what the job reports before its outcome. A repeated job reports everything again. */
  readonly report?: (interim: Outcome) => void;
}

/** Runs jobs away from the event loop. */
export interface Pool<Job, Outcome> {
  /**
   * Waits for a thread and for its result. Throws the errors of `PoolFailures`, the error that the
   * job ended with, `busy` where the queue is full or too slow, `aborted` once it is closed, and
   * the signal's reason.
   */
  run(job: Job, signal: AbortSignal, options?: RunOptions<Outcome>): Promise<Outcome>;
  /** Ends the threads; running jobs fail. */
  close(): Promise<void>;
}

/**
 * A few threads that start on demand, for decoders that must not block, corrupt or end the server.
 * A thread that crashes or exceeds its time limit is ended, and the next job starts another.
 *
 * To use it, write a worker module, `x-worker.ts`, that calls `answerJobs` (worker.ts), and beside
 * it `createPool<Job, Outcome>(limits, { module: new URL("./x-worker", import.meta.url), failures
 * })`, once for the whole server (src/app/), which closes it at the end. `tileThreadLimits` has the
 * configured limits. Jobs and results are values that can be cloned; large memory should be
 * transferred (`transfer`).
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

  /**
   * A new thread, where another is allowed and there is memory for it; else memory is requested.
   */
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
   * A free thread, preferably one that has the job's data; else a new one; else one that has room.
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
    // No waiting job needs a further thread.
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

  /** Ends the wait of a task at its deadline; without a limit, nothing has to be watched. */
  const watch = (task: Task<Job, Outcome>, ms: number): NodeJS.Timeout | undefined => {
    if (task.until === Number.POSITIVE_INFINITY) return undefined;
    return setTimeout(() => {
      if (waiting.delete(task)) task.reject(waitLeftTooLittle());
    }, ms).unref();
  };

  return {
    run(job, signal, { spentMs = 0, report } = {}) {
      return new Promise<Outcome>((resolve, reject) => {
        signal.throwIfAborted();
        // A thread that started now would stay.
        if (closing !== undefined) throw closing;
        if (waiting.size >= maxWaiting)
          throw new ServerError("busy", `Too many waiting jobs: at most ${maxWaiting}.`);
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
          report,
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
