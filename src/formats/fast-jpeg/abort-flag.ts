/** Tells a synchronous job that nobody has left: nobody can leave during it. */
export const neverAborted = new Int32Array(1);

/** Runs work with a shared memory flag that becomes nonzero once the signal aborts. */
export const withAbortFlag = async <T>(
  signal: AbortSignal,
  work: (left: Int32Array) => Promise<T>,
): Promise<T> => {
  const left = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const leave = (): void => {
    Atomics.store(left, 0, 1);
  };
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await work(left);
  } finally {
    signal.removeEventListener("abort", leave);
  }
};
