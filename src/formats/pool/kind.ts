import type { ServerError } from "../../core/errors.ts";
import type { MemoryReservations } from "./memory-reservations.ts";

/** The number of threads and their limits. Read whenever a thread starts. */
export interface PoolLimits {
  /** At least 1. */
  readonly threads: number;
  /** From when a thread can begin a job to its result, in milliseconds. */
  readonly ms: number;
  /** Linux nice value of the threads: 0 to 19. */
  readonly niceness?: number;
  /**
   * Maximum JavaScript heap in bytes, 64 MB if absent; memory of WebAssembly and of buffers is not
   * counted.
   */
  readonly heapBytes?: number;
  /** Memory that a thread reserves while it runs, in bytes; 24 MB. */
  readonly reservedBytes?: number;
  /**
   * A thread that holds more memory than this after a job is ended, in bytes; no limit if absent.
   */
  readonly keep?: number;
  /** The argument of the worker module's `prepare`; values that can be cloned. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Errors for callers. */
export interface PoolFailures {
  /** A job, or the start of a thread, exceeded its time limit. */
  readonly late: () => ServerError;
  /** The thread ended during the job: out of memory, by a fault, or by an exception of the job. */
  readonly broken: (cause: unknown) => ServerError;
  /** As `broken`, before the thread was ready for anything; `broken` where absent. */
  readonly notStarted?: (cause: unknown) => ServerError;
  /** The job threw something other than an Error of ours. */
  readonly damaged: (cause: Error) => Error;
}

/** The interface of a thread, or of a process used as one, that a pool needs. */
export interface PoolWorker {
  on(event: "message" | "error" | "exit", listener: (value: unknown) => void): unknown;
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  ref(): void;
  unref(): void;
  /** Ends it at once. */
  terminate(): Promise<unknown>;
}

/** Options common to all threads of a pool. */
export interface PoolKind<Job> {
  /** The worker module, as for `startThread`; it calls `answerJobs`. */
  readonly module: URL;
  /**
   * Starts something other than a thread that runs the module. It answers as `answerJobs` would.
   */
  readonly start?: (module: URL, data: Readonly<Record<string, unknown>>) => PoolWorker;
  readonly failures: PoolFailures;
  /** The memory shared with other pools; unlimited if absent. */
  readonly reservations?: MemoryReservations | undefined;
  /** Whether memory is set aside for the first thread, so that it starts without a reservation. */
  readonly isFirstReserved?: true;
  /**
   * Maximum number of jobs that wait for a thread; 10,000, far more than are admitted at a time.
   */
  readonly maxWaiting?: number;
  /**
   * Number of jobs that a thread has at a time; 1. With 2, it need not wait for the event loop
   * between them.
   */
  readonly jobsPerThread?: number;
  /**
   * Memory of a job that is transferred, and lost for the caller. Without it, a job may be repeated
   * in another thread.
   */
  readonly transfer?: (job: Job) => readonly ArrayBuffer[];
  /**
   * What a thread that had it before has in memory, such as an open document; such a thread is
   * preferred.
   */
  readonly about?: (job: Job) => string;
  /**
   * Whether threads write to shared memory: callers then continue only once the thread has finished
   * the job, even when the signal aborts, which the job has to check itself, or the thread ends.
   */
  readonly shares?: boolean;
  /**
   * Bounds the wait for a thread, including its start: it may take `ms`, and together with the job
   * `ms` plus so many milliseconds. A caller that would wait longer gets `busy`, and so does one
   * whose job began too late to have all its time. No limit where absent. With one job per thread.
   */
  readonly patienceMs?: number;
  /** Minimum for wait and job together, in milliseconds, however short a job's time limit; 0. */
  readonly togetherMs?: number;
  /**
   * Milliseconds for which a thread may continue with a job that nobody waits for; no shorter limit
   * where absent. With one job per thread.
   */
  readonly graceMs?: number;
  /** Milliseconds after which an idle thread ends; never where absent. */
  readonly idleMs?: number;
}
