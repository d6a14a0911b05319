import { DecoderLost, ServerError } from "../../core/errors.ts";
import { startThread } from "../../core/thread.ts";
import { sendWith } from "./handing-over.ts";
import type { PoolKind, PoolLimits, PoolWorker } from "./kind.ts";
import type { Reservation } from "./memory-reservations.ts";
import type { JobMessage, ThreadMessage } from "./messages.ts";

/** A job and its caller. */
export interface Task<Job, Outcome> {
  readonly job: Job;
  readonly signal: AbortSignal;
  /**
   * Its deadline, including its wait for a thread, on the clock of `performance.now()`; infinite
   * without a limit.
   */
  readonly until: number;
  /** Gets what the job reports before its outcome. */
  readonly report: ((interim: Outcome) => void) | undefined;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** Nobody waits for it any more. */
  abandoned: boolean;
  /** It crashed a thread that earlier jobs may have worn out. */
  repeated: boolean;
}

/** A thread's events for its pool. */
interface ThreadEvents<Job, Outcome> {
  readonly onRoom: () => void;
  /** A task that another thread may run. */
  readonly onRepeat: (task: Task<Job, Outcome>) => void;
  readonly onEnd: () => void;
}

/** The error for a caller whose wait left too little time. */
export const waitLeftTooLittle = (): ServerError =>
  new ServerError("busy", "No thread became free in time: too many requests.");

/** Default maximum JavaScript heap in bytes. */
const usualHeap = 67_108_864;

const worn = (): ServerError =>
  new ServerError("aborted", "The thread held more memory than it may keep.");

/** The options of starting a thread. */
interface PoolPlace<Job> {
  readonly limits: PoolLimits;
  readonly kind: PoolKind<Job>;
  readonly reservation: Reservation | undefined;
}

/** Time limit of a thread's start in milliseconds: usually far less. */
const startMs = 20_000;

/** A job that crashed a thread sooner than this, in milliseconds, may be repeated. */
const soonMs = 1_000;

/** Maximum number of items that a thread is assumed to have in memory. */
const maxKnown = 8;

/** One thread of a pool, and the tasks it has. */
export class PooledThread<Job, Outcome> {
  readonly #worker: PoolWorker;
  readonly #ms: number;
  readonly #kind: PoolKind<Job>;
  readonly #events: ThreadEvents<Job, Outcome>;
  readonly #reservation: Reservation | undefined;
  readonly #tasks = new Map<Task<Job, Outcome>, number>();
  readonly #byId = new Map<number, Task<Job, Outcome>>();
  /** Latest last. */
  readonly #known = new Set<string>();
  #last = 0;
  #isReady = false;
  /** When it could begin the current task. */
  #begun = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #isWorn = false;

  /** The reservation is released once the thread has ended. */
  constructor({ limits, kind, reservation }: PoolPlace<Job>, events: ThreadEvents<Job, Outcome>) {
    const { ms, niceness = 0, heapBytes = usualHeap, data = {}, keep } = limits;
    this.#ms = ms;
    this.#kind = kind;
    this.#events = events;
    this.#reservation = reservation;
    const given = { ...data, niceness, keep };
    this.#worker = kind.start?.(kind.module, given) ?? startThread(kind.module, given, heapBytes);
    this.#worker.on("message", (said) => {
      // The module's messages are known from its sources alone.
      const message = said as ThreadMessage<Outcome>;
      if ("ready" in message) this.#begin();
      else if ("worn" in message) this.#wear();
      else this.#take(message);
    });
    this.#worker.on("error", (error) => this.#break(error));
    this.#worker.on("exit", () => this.#break(new Error("The thread ended.")));
    this.#worker.unref();
  }

  /** Its tasks, the first being the current one. */
  get tasks(): Pick<ReadonlyMap<Task<Job, Outcome>, number>, "has" | "size"> {
    return this.#tasks;
  }

  /** Whether it takes no more tasks, and ends after those it has. */
  get isWorn(): boolean {
    return this.#isWorn;
  }

  knows(name: string): boolean {
    return this.#known.has(name);
  }

  give(task: Task<Job, Outcome>): void {
    const { job } = task;
    const { about, transfer } = this.#kind;
    // Running jobs keep the process alive; an idle thread does not.
    if (this.#tasks.size === 0) {
      this.#worker.ref();
      this.#reservation?.busy();
    }
    const id = ++this.#last;
    this.#tasks.set(task, id);
    this.#byId.set(id, task);
    if (about !== undefined) this.#know(about(job));
    if (!this.#isReady) this.#allow(task, startMs);
    else if (this.#tasks.size === 1) this.#begin();
    const message: JobMessage<Job> = { id, job };
    sendWith(this.#worker, message, transfer?.(job));
  }

  /** Gives the current task so many milliseconds to end. */
  hurry(ms: number): void {
    this.#watch(ms, this.#kind.failures.late);
  }

  async end(reason: ServerError): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const tasks = [...this.#tasks.keys()];
    this.#tasks.clear();
    this.#byId.clear();
    this.#events.onEnd();
    // Tasks queued behind the current one did not cause its end, nor did one that did not get its
    // time.
    const isFault = this.#isReady && reason.failure !== "aborted" && reason.failure !== "busy";
    const reject = (): void => {
      for (const [at, task] of tasks.entries())
        task.reject(isFault && at === 0 ? new DecoderLost(reason) : reason);
    };
    if (!this.#kind.shares) reject();
    try {
      await this.#worker.terminate();
    } finally {
      this.#reservation?.release();
    }
    reject();
  }

  #know(name: string): void {
    this.#known.delete(name);
    this.#known.add(name);
    for (const oldest of this.#known) if (this.#known.size > maxKnown) this.#known.delete(oldest);
  }

  /** A thread has its time limit from one answer to the next; one that takes longer is ended. */
  #begin(): void {
    this.#isReady = true;
    this.#begun = performance.now();
    for (const task of this.#tasks.keys()) {
      // A caller that left has set a time limit of its own.
      if (!task.abandoned || this.#kind.graceMs === undefined) this.#allow(task, this.#ms);
      return;
    }
  }

  /** Gives a task so many milliseconds, or what its wait has left of them. */
  #allow({ until }: Task<Job, Outcome>, ms: number): void {
    const left = until - performance.now();
    if (left < ms) this.#watch(Math.max(0, left), waitLeftTooLittle);
    else this.#watch(ms, this.#kind.failures.late);
  }

  #wear(): void {
    this.#isWorn = true;
    if (this.#tasks.size === 0) void this.end(worn());
  }

  #take(message: Exclude<ThreadMessage<Outcome>, { ready: true } | { worn: true }>): void {
    const task = this.#byId.get(message.id);
    if (task === undefined) return;
    if ("interim" in message) {
      if (!task.abandoned) task.report?.(message.interim);
      return;
    }
    this.#byId.delete(message.id);
    this.#tasks.delete(task);
    if (this.#tasks.size > 0) this.#begin();
    else if (this.#isWorn) void this.end(worn());
    else this.#rest();
    this.#events.onRoom();
    if ("outcome" in message) {
      task.resolve(message.outcome);
      return;
    }
    const { failure, message: text } = message.damage;
    task.reject(
      failure === undefined
        ? this.#kind.failures.damaged(new Error(text))
        : new ServerError(failure, text),
    );
  }

  #rest(): void {
    this.#worker.unref();
    clearTimeout(this.#timer);
    const { idleMs } = this.#kind;
    if (idleMs !== undefined)
      this.#watch(idleMs, () => new ServerError("aborted", "The thread had nothing to do."));
    this.#reservation?.idle(() => {
      void this.end(
        new ServerError("aborted", "The idle thread was ended to free memory for another."),
      );
    });
  }

  #break(cause: unknown): void {
    const { failures, transfer } = this.#kind;
    const isSoon = performance.now() - this.#begun < soonMs;
    // Earlier jobs wore the thread out; but transferred memory is gone.
    if (this.#isReady && isSoon && this.#last > 1 && transfer === undefined)
      for (const task of this.#tasks.keys()) {
        if (task.repeated || task.abandoned) continue;
        this.#tasks.delete(task);
        task.repeated = true;
        this.#events.onRepeat(task);
      }
    const { broken, notStarted = broken } = failures;
    void this.end(this.#isReady ? broken(cause) : notStarted(cause));
  }

  #watch(ms: number, reason: () => ServerError): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(reason()), ms).unref();
  }
}
