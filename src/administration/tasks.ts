import { randomUUID } from "node:crypto";
import { untilAborted } from "../core/abort.ts";
import { fail, ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { isMaking, type Task, type TaskRequest, type Verb } from "./task.ts";
import { maxTaskMs } from "./time-limits.ts";

/** Called as work progresses. */
export interface TaskProgress extends Pick<Task, "pyramids"> {
  /** 0 to 1. */
  readonly progress: number;
  readonly removed?: Task["removed"];
}

/** The dependencies of tasks. */
export interface TasksParts {
  /** Runs a task. */
  readonly work: (
    task: Pick<Task, "uuid" | "verb" | "identifier">,
    tell: (progress: TaskProgress) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Maximum number of remembered tasks. */
  readonly max: () => number;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** Maximum number of waiting tasks in a queue. */
const maxQueued = 100;

/**
 * Tasks in three queues: purges, pyramids of single images, and pyramids of all images. Each queue
 * runs one task at a time in order of arrival, so that purges do not wait for work of days.
 */
export class Tasks {
  readonly #parts: TasksParts;
  readonly #now: () => Date;
  /** In order of arrival. */
  readonly #known = new Map<string, Task>();
  readonly #lines = { purges: line(), image: line(), all: line() };
  readonly #running = new Map<string, AbortController>();
  #isClosed = false;

  constructor(parts: TasksParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => new Date());
  }

  /** Queues a task; throws `busy` where the queue is full. */
  begin(request: TaskRequest): Task {
    if (this.#isClosed) return fail("busy", "The server is being stopped.");
    const { queue } = this.#lineOf(request.verb);
    if (queue.length >= maxQueued)
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
    queue.push(task.uuid);
    this.#forgetOldest();
    this.#runAll(this.#lineOf(request.verb));
    return task;
  }

  get(uuid: string): Task | undefined {
    return this.#known.get(uuid);
  }

  /** Latest first. */
  list(): readonly Task[] {
    return [...this.#known.values()].reverse();
  }

  /**
   * Cancels a task that is waiting or makes pyramids; an ended task is returned unchanged.
   * Undefined if no recorded task has this id; throws `malformed` for a running purge.
   */
  cancel(uuid: string): Task | undefined {
    const task = this.#known.get(uuid);
    if (task === undefined || task.stoppedAt !== undefined) return task;
    if (task.status === "RUNNING" && !isMaking(task.verb))
      return fail("malformed", "A running purge cannot be cancelled. Wait until it has ended.");
    const { queue } = this.#lineOf(task.verb);
    const place = queue.indexOf(uuid);
    if (place >= 0) queue.splice(place, 1);
    this.#running.get(uuid)?.abort(cancelled);
    this.#end(uuid, cancelled);
    return this.#known.get(uuid);
  }

  /** Aborts running tasks and refuses new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const lines = Object.values(this.#lines);
    for (const { queue } of lines) queue.length = 0;
    for (const stop of this.#running.values())
      stop.abort(new ServerError("busy", "The server was stopped."));
    await Promise.all(lines.map(({ running }) => running));
  }

  #lineOf(verb: Verb): Line {
    if (!isMaking(verb)) return this.#lines.purges;
    return verb === "MakePyramid" ? this.#lines.image : this.#lines.all;
  }

  #runAll(line: Line): void {
    const run = async (): Promise<void> => {
      // So that the client that queued it is answered first.
      await undefined;
      for (let uuid = line.queue.shift(); uuid !== undefined; uuid = line.queue.shift())
        await this.#run(uuid);
    };
    line.running ??= run().finally(() => {
      line.running = undefined;
    });
  }

  async #run(uuid: string): Promise<void> {
    const task = this.#known.get(uuid);
    if (task === undefined) return;
    const { verb, identifier } = task;
    const stop = new AbortController();
    this.#running.set(uuid, stop);
    const maxMs = maxTaskMs(verb);
    const timer = setTimeout(
      () =>
        stop.abort(new ServerError("late", `The task took longer than ${maxMs / 3_600_000} h.`)),
      maxMs,
    );
    timer.unref();
    this.#change(uuid, { status: "RUNNING", startedAt: this.#now() });
    try {
      const asked = { uuid, verb, ...(identifier === undefined ? {} : { identifier }) };
      const work = this.#parts.work(asked, (told) => this.#change(uuid, told), stop.signal);
      // Not all work can be aborted.
      await untilAborted(stop.signal, work);
      this.#change(uuid, { status: "SUCCEEDED", stoppedAt: this.#now(), progress: 1 });
      const { removed, pyramids } = this.#known.get(uuid) ?? task;
      const { reasons: _, ...counts } = pyramids ?? {};
      this.#parts.log.info("A task is done", { ...factsOf(task), ...removed, ...counts });
    } catch (error) {
      this.#end(uuid, error);
    } finally {
      clearTimeout(timer);
      this.#running.delete(uuid);
    }
  }

  /** Records once that a task failed or was cancelled. */
  #end(uuid: string, error: unknown): void {
    const task = this.#known.get(uuid);
    if (task === undefined || task.stoppedAt !== undefined) return;
    const failure = error instanceof ServerError ? error.failure : "internal";
    // Internal messages appear in the log only.
    const message =
      error instanceof ServerError
        ? error.message
        : `An internal error occurred. The log has the details under task ${uuid}.`;
    this.#change(uuid, {
      status: "FAILED",
      stoppedAt: this.#now(),
      ...(error === cancelled ? { cancelled: true } : {}),
      exception: { failure, message },
    });
    if (error === cancelled) this.#parts.log.info("A task was cancelled", factsOf(task));
    else this.#parts.log.error("A task failed", { ...factsOf(task), error });
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

/** A queue of tasks that run one at a time. */
interface Line {
  readonly queue: string[];
  running: Promise<void> | undefined;
}

const line = (): Line => ({ queue: [], running: undefined });

const cancelled = new ServerError("aborted", "It was cancelled.");

const factsOf = ({ uuid, verb, identifier }: Task) => ({
  task: uuid,
  verb,
  ...(identifier === undefined ? {} : { identifier }),
});
