import type { Worker } from "node:worker_threads";
import { ServerError } from "../../core/errors.ts";
import { startThread } from "../../core/thread.ts";
import type { WindowRunner } from "./decoder.ts";
import type { WindowAnswer, WindowJob, WindowRequest, WindowSamples } from "./job.ts";

/** How many threads decode, and how long one window may take them. */
export interface ThreadLimits {
  /** At least 1. */
  readonly threads: number;
  readonly ms: number;
}

interface Task {
  readonly job: WindowJob;
  readonly resolve: (samples: WindowSamples) => void;
  readonly reject: (error: unknown) => void;
}

/** A task more than it works on keeps a thread from waiting for the event loop. */
const tasksPerThread = 2;

/** Carries out jobs in threads that start with the first job and stay. */
export const runInThreads = (limits: () => ThreadLimits): WindowRunner => {
  const threads = new Set<Thread>();
  const waiting = new Set<Task>();

  const idlest = (): Thread | undefined => {
    let best: Thread | undefined;
    for (const thread of threads)
      if (thread.tasks.size < (best?.tasks.size ?? tasksPerThread)) best = thread;
    return best;
  };

  const start = (): Thread => {
    const thread = new Thread(limits().ms, next, () => {
      threads.delete(thread);
      next();
    });
    threads.add(thread);
    return thread;
  };

  const next = (): void => {
    for (const task of waiting) {
      let thread = idlest();
      if ((thread === undefined || thread.tasks.size > 0) && threads.size < limits().threads)
        thread = start();
      if (thread === undefined) return;
      waiting.delete(task);
      thread.give(task);
    }
  };

  return {
    async run(job, signal) {
      signal.throwIfAborted();
      let leave = (): void => {};
      try {
        return await new Promise<WindowSamples>((resolve, reject) => {
          const task: Task = { job, resolve, reject };
          // What a thread works on ends there: it sees by the job that nobody waits any more.
          leave = () => {
            if (waiting.delete(task)) reject(signal.reason);
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

/** One thread and the tasks it has. */
class Thread {
  readonly tasks = new Map<number, Task>();
  readonly #worker: Worker;
  readonly #ms: number;
  readonly #onRoom: () => void;
  readonly #onEnd: () => void;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onRoom: () => void, onEnd: () => void) {
    this.#ms = ms;
    this.#onRoom = onRoom;
    this.#onEnd = onEnd;
    this.#worker = startThread(new URL("./window-worker", import.meta.url));
    this.#worker.on("message", (answer: WindowAnswer) => this.#take(answer));
    this.#worker.on("error", (error) => this.end(broken(error)));
    this.#worker.on("exit", () => this.end(broken("it ended")));
    this.#worker.unref();
  }

  give(task: Task): void {
    // Work in hand keeps the process alive; a thread alone does not.
    if (this.tasks.size === 0) this.#worker.ref();
    const request: WindowRequest = { id: ++this.#last, job: task.job };
    this.tasks.set(request.id, task);
    this.#watch();
    const { bytes, blocks, segments } = task.job;
    this.#worker.postMessage(
      request,
      [bytes, blocks, segments].map(({ buffer }) => buffer as ArrayBuffer),
    );
  }

  /** Once the thread is no more, its tasks fail: until then it may write to what they share. */
  async end(reason: ServerError): Promise<void> {
    const tasks = [...this.tasks.values()];
    this.tasks.clear();
    clearTimeout(this.#timer);
    this.#onEnd();
    await this.#worker.terminate();
    for (const task of tasks) task.reject(reason);
  }

  #take({ id, samples, damage }: WindowAnswer): void {
    const task = this.tasks.get(id);
    if (task === undefined) return;
    this.tasks.delete(id);
    this.#watch();
    if (this.tasks.size === 0) this.#worker.unref();
    this.#onRoom();
    if (samples !== undefined) task.resolve(samples);
    else task.reject(new Error(damage));
  }

  /** From one answer to the next, a thread has its time; one that takes longer is given up. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.tasks.size === 0) return;
    this.#timer = setTimeout(
      () => this.end(new ServerError("late", "Decoding JPEG 2000 took longer than it may.")),
      this.#ms,
    ).unref();
  }
}

const broken = (cause: unknown): ServerError =>
  new ServerError("internal", "A thread that decodes JPEG 2000 broke down.", { cause });
