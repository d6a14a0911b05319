/**
 * The outcome of a call to a client that cannot be cancelled, or the signal's reason as soon as it
 * aborts: the call then goes on, and its outcome is let go of. Nothing is called once it has aborted.
 */
export const untilAborted = async <T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    call()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", leave));
  });
};
