import { setMaxListeners } from "node:events";
import { settleWithin } from "../core/abort.ts";
import { ServerError } from "../core/errors.ts";
import { Limiter } from "../core/limiter.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { PageFacts } from "./facts.ts";

/** A pyramid that this process is making or will make. */
export interface PendingPyramid {
  readonly name: string;
  readonly facts: Omit<PageFacts, "made" | "reason">;
  readonly state: "waiting" | "making";
  /** 0 to 1. */
  readonly progress: number;
}

/** Called with the progress, 0 to 1. */
export type OnProgress = (share: number) => void;

/** Does a job, given its deadline and where to report. */
export type Work<T> = (signal: AbortSignal, onProgress: OnProgress) => Promise<T>;

interface Pending extends PendingPyramid {
  state: "waiting" | "making";
  progress: number;
  readonly listeners: Set<OnProgress>;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Limits of a queue. */
export interface QueueLimits {
  /** Maximum number of jobs that wait. */
  readonly maxWaiting: number;
  /** Milliseconds for which closing and purging wait for aborted jobs. */
  readonly maxEndingMs: number;
}

/**
 * The jobs of a process, run one at a time in order of arrival. Callers with the same name share a
 * job, which is aborted once all of them have left.
 */
export class PyramidQueue<T> {
  readonly #limits: QueueLimits;
  readonly #flights = new SingleFlight<T>();
  readonly #limiter: Limiter;
  readonly #pending = new Map<string, Pending>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
    this.#limiter = new Limiter(
      () => ({ running: 1, waiting: limits.maxWaiting }),
      `The queue for making pyramids is full (${limits.maxWaiting} are waiting); try again later.`,
    );
    setMaxListeners(0, this.#closing.signal);
  }

  /** The jobs, in order of arrival. */
  get pending(): readonly PendingPyramid[] {
    return [...this.#pending.values()];
  }

  get size(): number {
    return this.#pending.size;
  }

  get isFull(): boolean {
    return this.#limiter.waiting >= this.#limits.maxWaiting;
  }

  has(name: string): boolean {
    return this.#pending.has(name);
  }

  /**
   * Joins the job of a name, or queues one; returns its outcome. Throws the errors of the work,
   * `busy` if the queue is full, and the signal's reason.
   */
  async run(
    { name, facts }: Pick<PendingPyramid, "name" | "facts">,
    work: Work<T>,
    { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress?: OnProgress },
  ): Promise<T> {
    this.#closing.signal.throwIfAborted();
    const outcome = this.#flights.run(name, signal, (shared) =>
      this.#do({ name, facts }, work, shared),
    );
    const { listeners } = this.#pending.get(name) ?? {};
    if (onProgress) listeners?.add(onProgress);
    try {
      return await outcome;
    } finally {
      if (onProgress) listeners?.delete(onProgress);
    }
  }

  /** Aborts the jobs of an image, or all, and waits until they have ended. */
  async abort(identifier: string | undefined, reason: ServerError): Promise<void> {
    const ended: Promise<void>[] = [];
    for (const job of this.#pending.values()) {
      if (identifier !== undefined && job.facts.identifier !== identifier) continue;
      job.abort.abort(reason);
      ended.push(job.ended);
    }
    await settleWithin(ended, this.#limits.maxEndingMs);
  }

  /** Aborts all jobs, waits until they have ended, and refuses new ones. */
  async close(): Promise<void> {
    this.#closing.abort(new ServerError("aborted", "The server is closing."));
    await settleWithin(this.#running, this.#limits.maxEndingMs);
  }

  async #do(
    wanted: Pick<PendingPyramid, "name" | "facts">,
    work: Work<T>,
    shared: AbortSignal,
  ): Promise<T> {
    const { promise: ended, resolve: end } = deferred();
    const job: Pending = {
      ...{ ...wanted, state: "waiting", progress: 0 },
      ...{ listeners: new Set<OnProgress>(), abort: new AbortController(), ended },
    };
    // A job of the same name that is being aborted no longer has the entry.
    this.#pending.set(wanted.name, job);
    this.#running.add(ended);
    const signal = AbortSignal.any([shared, job.abort.signal, this.#closing.signal]);
    setMaxListeners(0, signal);
    try {
      return await this.#limiter.run(signal, () => {
        job.state = "making";
        return work(signal, (share) => {
          job.progress = share;
          for (const listener of job.listeners) listener(share);
        });
      });
    } finally {
      if (this.#pending.get(wanted.name) === job) this.#pending.delete(wanted.name);
      this.#running.delete(ended);
      end();
    }
  }
}

const deferred = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};
