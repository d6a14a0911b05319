import { untilAborted } from "../core/abort.ts";

/** Work whose caller does not wait for it. */
export interface BackgroundJobs {
  /**
   * Queues a job. Does nothing where one of the same name is queued or running; returns false where
   * the queue is full or closed.
   */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): boolean;
  /** Starts no more jobs and waits for the running ones; aborts them after so many milliseconds. */
  close(patienceMs: number): Promise<void>;
}

export interface BackgroundJobOptions {
  /** Maximum number of running jobs. */
  readonly concurrency: number;
  /** Maximum number of queued jobs. */
  readonly maxWaiting: number;
  /** Maximum duration of a job in milliseconds. */
  readonly maxMs: number;
  /** Called when a job fails; not for jobs that closing aborted. */
  readonly onFailure: (name: string, error: unknown) => void;
}

/**
 * Background jobs: each has a deadline, their number is bounded, and closing leaves none running.
 */
export const createBackgroundJobs = ({
  concurrency,
  maxWaiting,
  maxMs,
  onFailure,
}: BackgroundJobOptions): BackgroundJobs => {
  const waiting = new Map<string, (signal: AbortSignal) => Promise<void>>();
  const underWay = new Map<string, Promise<void>>();
  const closing = new AbortController();
  let isOpen = true;

  const beginNext = (): void => {
    for (const [name, work] of waiting) {
      if (underWay.size >= concurrency) return;
      waiting.delete(name);
      underWay.set(
        name,
        // Deferred: the job must be registered before it can end.
        Promise.resolve().then(() => perform(name, work)),
      );
    }
  };

  const perform = async (
    name: string,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    const late = new AbortController();
    const deadline = setTimeout(
      () => late.abort(new Error(`it took longer than ${maxMs} ms`)),
      maxMs,
    );
    try {
      const signal = AbortSignal.any([closing.signal, late.signal]);
      await untilAborted(signal, work(signal));
    } catch (error) {
      if (!closing.signal.aborted) onFailure(name, error);
    } finally {
      clearTimeout(deadline);
      underWay.delete(name);
      beginNext();
    }
  };

  return {
    run(name, work) {
      if (!isOpen) return false;
      if (waiting.has(name) || underWay.has(name)) return true;
      if (waiting.size >= maxWaiting) return false;
      waiting.set(name, work);
      beginNext();
      return true;
    },

    async close(patienceMs) {
      isOpen = false;
      waiting.clear();
      const limit = setTimeout(() => closing.abort(new Error("the server stops")), patienceMs);
      await Promise.all(underWay.values());
      clearTimeout(limit);
    },
  };
};
