import { setMaxListeners } from "node:events";

/** One run of some work, and those who wait for it. */
interface Flight<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  listeners: number;
}

/**
 * Runs work once for all who ask for the same key at the same time. Who leaves (by its signal) only
 * stops waiting; the work itself is aborted when the last one has left. Failures are shared, not
 * kept.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** How many runs are under way. */
  get size(): number {
    return this.#flights.size;
  }

  /** Whether a run for a key is under way. */
  has(key: string): boolean {
    return this.#flights.has(key);
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
    // As many listen as there are reads under way, without end.
    setMaxListeners(0, abort.signal);
    const result = work(abort.signal).finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    // Whoever asked has its own copy of the failure; the bare promise must not count as unhandled.
    result.catch(() => {});
    const flight: Flight<T> = { result, abort, listeners: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  #abandon(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) !== flight) return;
    // A later asker must not join a run that is being stopped.
    this.#flights.delete(key);
    flight.abort.abort();
  }
}
