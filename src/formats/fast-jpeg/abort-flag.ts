/**
 * Says that nobody has left who waits for a job: who has it done at once cannot leave meanwhile.
 */
export const neverAborted = new Int32Array(1);

/**
 * Does work that is given memory shared between threads, which becomes other than 0 once the signal
 * aborts.
 */
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
