import type { ServerError } from "../../core/errors.ts";
import type { MemoryReservations } from "./memory-reservations.ts";

/** How many threads there are, and what each may take. Read whenever a thread starts. */
export interface PoolLimits {
  /** At least 1. */
  readonly threads: number;
  /** From when a thread can begin with a job to its answer, in milliseconds. */
  readonly ms: number;
  /** By how much the threads give way to others, as Linux' nice values have it: 0 to 19. */
  readonly niceness?: number;
  /**
   * Most memory for values of JavaScript, in bytes, 64 MB if absent; memory of WebAssembly and of
   * buffers is not counted.
   */
  readonly heapBytes?: number;
  /** Memory that a thread reserves while it runs, in bytes; 24 MB. */
  readonly reservedBytes?: number;
  /**
   * A thread that holds more memory than this after a job is ended, in bytes; no bound if absent.
   */
  readonly keep?: number;
  /** What the worker module's `prepare` is given; values that can be cloned. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What callers are told. */
export interface PoolFailures {
  /** A job took longer than it may, or a thread did to start. */
  readonly late: () => ServerError;
  /** The thread ended with the job under way: by memory, by a fault, or by what the job threw. */
  readonly broken: (cause: unknown) => ServerError;
  /** As `broken`, before the thread was ready for anything; `broken` where absent. */
  readonly notStarted?: (cause: unknown) => ServerError;
  /** The job threw something that is no failure. */
  readonly damaged: (cause: Error) => Error;
}

/** As much of a thread, or of a process that is used as one, as a pool needs to know. */
export interface PoolWorker {
  on(event: "message" | "error" | "exit", listener: (value: unknown) => void): unknown;
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  ref(): void;
  unref(): void;
  /** Ends it at once. */
  terminate(): Promise<unknown>;
}

/** What is the same for all threads of a pool. */
export interface PoolKind<Job> {
  /** The worker module, as `startThread` has it; it calls `answerJobs`. */
  readonly module: URL;
  /** Starts something else than a thread that runs the module. It answers as `answerJobs` would. */
  readonly start?: (module: URL, data: Readonly<Record<string, unknown>>) => PoolWorker;
  readonly failures: PoolFailures;
  /** The memory shared with other pools; not bounded if absent. */
  readonly reservations?: MemoryReservations | undefined;
  /** Whether memory is set aside for the first thread, so that it starts without a reservation. */
  readonly isFirstReserved?: true;
  /**
   * How many jobs may wait for a thread; 10,000, far more than what is admitted to be drawn at a
   * time.
   */
  readonly maxWaiting?: number;
  /**
   * How many jobs a thread has at a time; 1. With 2, it need not wait for the event loop between
   * them.
   */
  readonly jobsPerThread?: number;
  /**
   * Memory of a job that is handed over, and is gone for the caller. Without it, a job may be
   * repeated in another thread.
   */
  readonly transfer?: (job: Job) => readonly ArrayBuffer[];
  /**
   * What a thread that had it before has in memory, such as an open document; such a thread is
   * preferred.
   */
  readonly about?: (job: Job) => string;
  /**
   * Whether threads write into memory that others use too: nobody goes on then before the thread
   * has let go of the job, neither when the signal aborts, which the job has to see by itself, nor
   * when the thread ends.
   */
  readonly shares?: boolean;
  /**
   * Bounds the wait for a thread, its start included: it may take `ms`, and together with the job
   * `ms` and so many milliseconds more. Whoever would have to wait longer is told `busy`, and so is
   * whose job began too late to have all its time. No bound where absent. With one job per thread.
   */
  readonly patienceMs?: number;
  /**
   * What wait and job may take together in any case, in milliseconds, however short a job may be;
   * 0.
   */
  readonly togetherMs?: number;
  /**
   * How long a thread may go on with what nobody waits for, in milliseconds; no shorter where
   * absent. With one job per thread.
   */
  readonly graceMs?: number;
  /** How long a thread stays that has nothing to do, in milliseconds; forever where absent. */
  readonly idleMs?: number;
}
