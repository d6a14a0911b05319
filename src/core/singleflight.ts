import { setMaxListeners } from "node:events";

/** One run of some work and its waiters. */
interface Flight<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  listeners: number;
}

/**
 * Runs work once for all concurrent callers with the same key. A caller that leaves (by its signal)
 * only stops waiting; the work itself is aborted when the last one has left. Errors are shared but
 * not cached.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Number of runs in flight. */
  get size(): number {
    return this.#flights.size;
  }

  /** Whether a run for a key is in flight. */
  has(key: string): boolean {
    // Looking up a new string means hashing it, which took 0.5 % of the time of a stored tile.
    return this.#flights.size > 0 && this.#flights.has(key);
  }

  /**
   * The result of `work` for `key`; rejects with the signal's reason as soon as `signal` aborts.
   */
  async run(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.listeners++;
    let leave = (): void => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        leave = () => reject(signal.reason);
        signal.addEventListener("abort", leave, { once: true });
        flight.result.then(resolve, reject);
      });
    } finally {
      signal.removeEventListener("abort", leave);
      flight.listeners--;
      if (flight.listeners === 0) this.#abandon(key, flight);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abort = new AbortController();
    // The number of concurrent reads, and so of listeners, has no limit.
    setMaxListeners(0, abort.signal);
    const result = work(abort.signal).finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    // Every caller gets the error itself; the bare promise must not count as unhandled.
    result.catch(() => {});
    const flight: Flight<T> = { result, abort, listeners: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  #abandon(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) !== flight) return;
    // A later caller must not join a run that is being aborted.
    this.#flights.delete(key);
    flight.abort.abort();
  }
}
