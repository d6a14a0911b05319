import { DecoderLost, ServerError } from "../../core/errors.ts";
import { startThread } from "../../core/thread.ts";
import { sendWith } from "./handing-over.ts";
import type { PoolKind, PoolLimits, PoolWorker } from "./kind.ts";
import type { Reservation } from "./memory-reservations.ts";
import type { JobMessage, ThreadMessage } from "./messages.ts";

/** A job, and who waits for it. */
export interface Task<Job, Outcome> {
  readonly job: Job;
  readonly signal: AbortSignal;
  /**
   * When it has to be done, its wait for a thread included, on the clock of `performance.now()`;
   * infinite without a bound.
   */
  readonly until: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** Nobody waits for it any more. */
  abandoned: boolean;
  /** A thread broke down with it that others may have worn out. */
  repeated: boolean;
}

/** What a thread tells its pool. */
interface ThreadEvents<Job, Outcome> {
  readonly onRoom: () => void;
  /** A task that another thread may carry out. */
  readonly onRepeat: (task: Task<Job, Outcome>) => void;
  readonly onEnd: () => void;
}

/** What is told to whom the wait left too little time. */
export const crowded = (): ServerError =>
  new ServerError("busy", "Expected a thread to be free in time; too much is asked for at once.");

/** What values of JavaScript may take that is not told otherwise, in bytes. */
const usualHeap = 67_108_864;

const worn = (): ServerError =>
  new ServerError("aborted", "The thread held more memory than it may keep.");

/** What a thread is started with. */
interface PoolPlace<Job> {
  readonly limits: PoolLimits;
  readonly kind: PoolKind<Job>;
  readonly reservation: Reservation | undefined;
}

/** How long a thread may take to start, in milliseconds: usually far less. */
const startMs = 20_000;

/** A job that broke a thread sooner than this, in milliseconds, may be repeated. */
const soonMs = 1_000;

/** What a thread is thought to have in memory, by number. */
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
  /** The latest last. */
  readonly #known = new Set<string>();
  #last = 0;
  #isReady = false;
  /** When it could begin with what it is at. */
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
      // What the module sends is known from its sources alone.
      const message = said as ThreadMessage<Outcome>;
      if ("ready" in message) this.#begin();
      else if ("worn" in message) this.#wear();
      else this.#take(message);
    });
    this.#worker.on("error", (error) => this.#break(error));
    this.#worker.on("exit", () => this.#break(new Error("The thread ended.")));
    this.#worker.unref();
  }

  /** What it has, the first being what it is at. */
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
    // Work in hand keeps the process alive; a thread alone does not.
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

  /** Gives what it is at so many milliseconds to end. */
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
    // Those that only waited behind the one it was at have not cost it, nor has one that did not
    // have its time.
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

  /** From one answer to the next, a thread has its time; one that takes longer is given up. */
  #begin(): void {
    this.#isReady = true;
    this.#begun = performance.now();
    for (const task of this.#tasks.keys()) {
      // Who is gone has set a time of its own.
      if (!task.abandoned || this.#kind.graceMs === undefined) this.#allow(task, this.#ms);
      return;
    }
  }

  /** Gives a task so many milliseconds, or what its wait has left of them. */
  #allow({ until }: Task<Job, Outcome>, ms: number): void {
    const left = until - performance.now();
    if (left < ms) this.#watch(Math.max(0, left), crowded);
    else this.#watch(ms, this.#kind.failures.late);
  }

  #wear(): void {
    this.#isWorn = true;
    if (this.#tasks.size === 0) void this.end(worn());
  }

  #take(message: Exclude<ThreadMessage<Outcome>, { ready: true } | { worn: true }>): void {
    const task = this.#byId.get(message.id);
    if (task === undefined) return;
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
    // What others have worn out is no fault of this one; but what was handed over is gone.
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
