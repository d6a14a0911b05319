/** Waits until all of it has ended, well or not, but no longer than so many milliseconds. */
export const settledWithin = async (
  work: Iterable<Promise<unknown>>,
  maxMs: number,
): Promise<void> => {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    patience = setTimeout(resolve, maxMs);
  });
  await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(patience);
};

/** The outcome of something that goes on without us when `signal` aborts; then its reason is thrown. */
export const unlessAborted = <T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    outcome.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
