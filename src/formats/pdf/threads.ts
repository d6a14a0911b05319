import type { Worker } from "node:worker_threads";
import type { Settings } from "../../config/keys.ts";
import { ServerError } from "../../core/errors.ts";
import { startThread } from "../../core/thread.ts";
import type { readingKeys } from "../reading.ts";
import type { PdfAnswer, PdfJob, PdfOutcome, PdfReady, PdfRequest } from "./job.ts";

/** How many threads draw pages, and what each may take. */
export interface PdfThreadLimits {
  /** At least 1. */
  readonly threads: number;
  /** For one job, in milliseconds. */
  readonly ms: number;
  /** Of PDFium, in bytes. */
  readonly memory: number;
  /** By how much the threads give way to others, as Linux' nice values have it: 0 to 19. */
  readonly niceness?: number;
}

/** What the settings come to; `threads` and `niceness` are those of other threads that draw. */
export const pdfThreadLimits = (
  settings: Settings<typeof readingKeys>,
  drawing: Pick<PdfThreadLimits, "threads" | "niceness">,
): PdfThreadLimits => {
  const most = settings["processor.pdf.max_memory_bytes"];
  const seconds = settings["processor.timeout"] || Number.POSITIVE_INFINITY;
  return {
    ...drawing,
    ms: Math.min(seconds, settings["processor.pdf.timeout"]) * 1_000,
    memory: most < 0 ? mostMemory : Math.max(leastMemory, most),
  };
};

/** PDFium's memory ends at 2 GB; with less than 64 MB it can do little. */
const mostMemory = 2 ** 31;
const leastMemory = 67_108_864;

/** Opens documents and draws their pages away from the event loop. */
export interface PdfThreads {
  /**
   * Carries out a job. Throws `unreadable` where it broke the thread, `late` past the limit, and the
   * signal's reason once it is aborted.
   */
  run(job: PdfJob, signal: AbortSignal): Promise<PdfOutcome>;
  /** Ends the threads; what they have under way fails. */
  close(): Promise<void>;
}

interface Task {
  readonly job: PdfJob;
  readonly resolve: (outcome: PdfOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** Nobody waits for it any more. */
  abandoned: boolean;
  /** A thread broke down with it that others may have worn out. */
  repeated: boolean;
}

/** How long a thread may go on with what nobody waits for: most drawings are worth finishing. */
const graceMs = 1_000;

/** How long a thread may take to start, in milliseconds: usually far less. */
const startMs = 20_000;

/** A job that broke a thread sooner than this, in milliseconds, may be repeated. */
const soonMs = 1_000;

/** How long a thread stays that has nothing to do: its memory does not get smaller otherwise. */
const idleMs = 60_000;

/** A handful of threads that start when they are needed; each has one job at a time. */
export const createPdfThreads = (limits: () => PdfThreadLimits): PdfThreads => {
  const threads = new Set<Thread>();
  const waiting = new Set<Task>();

  /** One that is free, best one that has the document open. */
  const freeFor = ({ job }: Task): Thread | undefined => {
    const free = [...threads].filter(({ task }) => task === undefined);
    return free.find((thread) => thread.knows(job.file.id)) ?? free[0];
  };

  const next = (): void => {
    for (const task of waiting) {
      const thread = freeFor(task) ?? (threads.size < limits().threads ? start() : undefined);
      if (thread === undefined) return;
      waiting.delete(task);
      thread.give(task);
    }
  };

  const start = (): Thread => {
    const thread: Thread = new Thread(limits(), {
      onFree: next,
      onBroken(task) {
        task.repeated = true;
        waiting.add(task);
      },
      onEnd() {
        threads.delete(thread);
        next();
      },
    });
    threads.add(thread);
    return thread;
  };

  return {
    async run(job, signal) {
      signal.throwIfAborted();
      let leave = (): void => {};
      try {
        return await new Promise<PdfOutcome>((resolve, reject) => {
          const task: Task = { job, resolve, reject, abandoned: false, repeated: false };
          leave = () => {
            reject(signal.reason);
            task.abandoned = true;
            if (waiting.delete(task)) return;
            for (const thread of threads) if (thread.task === task) thread.hurry(graceMs);
          };
          signal.addEventListener("abort", leave, { once: true });
          waiting.add(task);
          next();
        });
      } finally {
        signal.removeEventListener("abort", leave);
      }
    },

    async close() {
      for (const task of waiting) task.reject(closing());
      waiting.clear();
      await Promise.all([...threads].map((thread) => thread.end(closing())));
    },
  };
};

const closing = (): ServerError => new ServerError("aborted", "The server is closing.");

const late = (): ServerError =>
  new ServerError("late", "Reading or drawing a page of the PDF document took longer than it may.");

const broken = (cause: unknown): ServerError =>
  new ServerError(
    "unreadable",
    "Expected a PDF document that can be drawn in the memory there is; this one is damaged, or asks for too much.",
    { cause },
  );

const notStarted = (cause: unknown): ServerError =>
  new ServerError("internal", "A thread that draws PDF documents did not start.", { cause });

interface ThreadEvents {
  readonly onFree: () => void;
  /** A task that another thread may carry out. */
  readonly onBroken: (task: Task) => void;
  readonly onEnd: () => void;
}

/** Documents that a thread is thought to have open. */
const mostKnown = 8;

class Thread {
  readonly #worker: Worker;
  readonly #ms: number;
  readonly #events: ThreadEvents;
  /** The latest last. */
  readonly #known = new Set<string>();
  #task: Task | undefined;
  #last = 0;
  #isReady = false;
  /** When it could begin with its task. */
  #given = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({ ms, memory, niceness = 0 }: PdfThreadLimits, events: ThreadEvents) {
    this.#ms = ms;
    this.#events = events;
    this.#worker = startThread(new URL("./page-worker", import.meta.url), { memory, niceness });
    this.#worker.on("message", (answer: PdfAnswer | PdfReady) =>
      "ready" in answer ? this.#begin() : this.#take(answer),
    );
    this.#worker.on("error", (error) => this.#break(error));
    this.#worker.on("exit", () => this.#break(new Error("The thread ended.")));
    this.#worker.unref();
  }

  /** What it is at. */
  get task(): Task | undefined {
    return this.#task;
  }

  knows(document: string): boolean {
    return this.#known.has(document);
  }

  give(task: Task): void {
    const { job } = task;
    // Work in hand keeps the process alive; a thread alone does not.
    this.#worker.ref();
    this.#task = task;
    this.#known.delete(job.file.id);
    this.#known.add(job.file.id);
    for (const oldest of this.#known) if (this.#known.size > mostKnown) this.#known.delete(oldest);
    if (this.#isReady) this.#begin();
    else this.#watch(startMs, late);
    const request: PdfRequest = { id: ++this.#last, job };
    this.#worker.postMessage(request);
  }

  /** Gives what it is at so many milliseconds to end. */
  hurry(ms: number): void {
    this.#watch(ms, late);
  }

  async end(reason: ServerError): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const task = this.#task;
    this.#task = undefined;
    this.#events.onEnd();
    task?.reject(reason);
    await this.#worker.terminate();
  }

  /** A job has its time from when the thread can begin with it. */
  #begin(): void {
    this.#isReady = true;
    this.#given = performance.now();
    if (this.#task?.abandoned === false) this.#watch(this.#ms, late);
  }

  #take({ id, outcome }: PdfAnswer): void {
    const task = this.#task;
    if (task === undefined || id !== this.#last) return;
    this.#task = undefined;
    this.#worker.unref();
    this.#watch(idleMs, closing);
    task.resolve(outcome);
    this.#events.onFree();
  }

  #break(cause: unknown): void {
    const task = this.#task;
    // Memory that other documents have worn out is no fault of this one.
    const isSoon = performance.now() - this.#given < soonMs;
    if (task !== undefined && isSoon && this.#last > 1 && !task.repeated && !task.abandoned) {
      this.#task = undefined;
      this.#events.onBroken(task);
    }
    void this.end(this.#isReady ? broken(cause) : notStarted(cause));
  }

  #watch(ms: number, reason: () => ServerError): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(reason()), ms).unref();
  }
}
