import { untilAborted } from "../core/abort.ts";

/** Work that whoever caused it does not wait for. */
export interface BackgroundJobs {
  /**
   * Begins a piece of work once it is its turn. Nothing happens where one of the same name waits or
   * is under way; false where too many wait, or nothing begins any more.
   */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): boolean;
  /**
   * Begins nothing any more, and waits for what is under way; gives that up after so many
   * milliseconds.
   */
  close(patienceMs: number): Promise<void>;
}

export interface BackgroundJobOptions {
  /** How many pieces of work are under way at a time. */
  readonly concurrency: number;
  /** How many may wait for their turn. */
  readonly maxWaiting: number;
  /** Milliseconds a piece of work may take. */
  readonly maxMs: number;
  /** Told why one failed; not of those that closing gave up. */
  readonly onFailure: (name: string, error: unknown) => void;
}

/**
 * Work done aside: each piece has a deadline, their number has a bound, and closing leaves none
 * behind.
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
        // Later than now: it must be known before it can end.
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
