import { setTimeout as wait } from "node:timers/promises";

/**
 * The outcome of a call that cannot be cancelled, or the signal's reason as soon as it aborts: the
 * call then continues, and its outcome is ignored. A function is not called once the signal has
 * aborted.
 */
export const untilAborted = <T>(
  signal: AbortSignal,
  call: Promise<T> | (() => Promise<T>),
): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    if (signal.aborted && typeof call === "function") return;
    signal.addEventListener("abort", abort, { once: true });
    const outcome = typeof call === "function" ? started(call) : call;
    outcome.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });

/** Turns synchronous exceptions into rejections. */
const started = async <T>(call: () => Promise<T>): Promise<T> => call();

/** Resolves once the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Resolves after so many milliseconds; rejects with the signal's reason if it aborts earlier. */
export const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await wait(ms, undefined, { signal });
  } catch {
    // Node.js rejects with an error of its own instead of the reason.
    throw signal.reason;
  }
};

/** Resolves once all work has settled, or after so many milliseconds at the latest. */
export const settleWithin = async (
  work: Iterable<Promise<unknown>>,
  maxMs: number,
): Promise<void> => {
  const patience = new AbortController();
  const late = wait(maxMs, undefined, { signal: patience.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(work), late]);
  patience.abort();
};
