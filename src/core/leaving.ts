/** The outcome of something that goes on without us when `signal` aborts; then its reason is thrown. */
export const unlessAborted = <T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    outcome.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
