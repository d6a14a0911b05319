import { randomUUID } from "node:crypto";
import { fail, ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { Removal, Task, TaskRequest } from "./task.ts";

/** Called as work progresses. */
export interface TaskProgress {
  /** 0 to 1. */
  readonly progress: number;
  readonly removed: Removal;
}

/** The dependencies of tasks. */
export interface TasksParts {
  /** Runs a task. */
  readonly work: (
    request: TaskRequest,
    tell: (progress: TaskProgress) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Maximum number of remembered tasks. */
  readonly max: () => number;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** Maximum number of queued tasks. */
const maxQueued = 100;
/** Time limit of a task in milliseconds. */
const maxMs = 6 * 3_600_000;

/** Tasks, run one after the other in order of arrival. */
export class Tasks {
  readonly #parts: TasksParts;
  readonly #now: () => Date;
  /** In order of arrival. */
  readonly #known = new Map<string, Task>();
  readonly #queue: string[] = [];
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: TasksParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => new Date());
  }

  /** Queues a task; throws `busy` where the queue is full. */
  begin(request: TaskRequest): Task {
    if (this.#ending.signal.aborted) return fail("busy", "The server is being stopped.");
    if (this.#queue.length >= maxQueued)
      return fail("busy", `Tasks: the queue is full (${maxQueued} tasks).`);
    const task: Task = {
      ...request,
      uuid: randomUUID(),
      status: "QUEUED",
      queuedAt: this.#now(),
      progress: 0,
      removed: { entries: 0 },
    };
    this.#known.set(task.uuid, task);
    this.#queue.push(task.uuid);
    this.#forgetOldest();
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return task;
  }

  get(uuid: string): Task | undefined {
    return this.#known.get(uuid);
  }

  /** Latest first. */
  list(): readonly Task[] {
    return [...this.#known.values()].reverse();
  }

  /** Aborts the running task and starts no more. */
  async close(): Promise<void> {
    this.#queue.length = 0;
    this.#ending.abort(new ServerError("busy", "The server was stopped."));
    await this.#running;
  }

  async #runAll(): Promise<void> {
    // The client that queued it is answered first.
    await undefined;
    for (let uuid = this.#queue.shift(); uuid !== undefined; uuid = this.#queue.shift())
      await this.#run(uuid);
  }

  async #run(uuid: string): Promise<void> {
    const task = this.#known.get(uuid);
    if (task === undefined) return;
    const { verb, identifier } = task;
    const facts = { task: uuid, verb, ...(identifier === undefined ? {} : { identifier }) };
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new ServerError("late", `It took longer than ${maxMs / 3_600_000} h.`)),
      maxMs,
    );
    timer.unref();
    const signal = AbortSignal.any([this.#ending.signal, deadline.signal]);
    this.#change(uuid, { status: "RUNNING", startedAt: this.#now() });
    try {
      const request = { verb, ...(identifier === undefined ? {} : { identifier }) };
      const work = this.#parts.work(request, (progress) => this.#change(uuid, progress), signal);
      await until(work, signal);
      this.#change(uuid, { status: "SUCCEEDED", stoppedAt: this.#now(), progress: 1 });
      this.#parts.log.info("A task is done", { ...facts, ...this.#known.get(uuid)?.removed });
    } catch (error) {
      const failure = error instanceof ServerError ? error.failure : "internal";
      // Messages not meant for others stay in the log.
      const message = error instanceof ServerError ? error.message : "It failed; see the log.";
      this.#change(uuid, {
        status: "FAILED",
        stoppedAt: this.#now(),
        exception: { failure, message },
      });
      this.#parts.log.error("A task failed", { ...facts, error });
    } finally {
      clearTimeout(timer);
    }
  }

  #change(uuid: string, change: Partial<Task>): void {
    const task = this.#known.get(uuid);
    // Progress reported after the end is ignored.
    if (task && task.stoppedAt === undefined) this.#known.set(uuid, { ...task, ...change });
  }

  #forgetOldest(): void {
    const max = this.#parts.max();
    for (const [uuid, { stoppedAt }] of this.#known) {
      if (this.#known.size <= max) return;
      if (stoppedAt !== undefined) this.#known.delete(uuid);
    }
  }
}

/**
 * The result of work, or the signal's reason as soon as it aborts: not all work heeds its signal.
 */
const until = (work: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
