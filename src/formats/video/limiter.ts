import { fail } from "../../core/errors.ts";

/** Who waits beyond this many is sent away. */
const maxWaiting = 64;

/** Lets so many pieces of work run at a time; others wait for their turn, as many as may. */
export class Turns {
  readonly #max: () => number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  /** `max` is at least 1. */
  constructor(max: () => number) {
    this.#max = max;
  }

  /** Throws `busy` where too many wait, and the signal's reason once it is aborted. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#running--;
      this.#next();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.size >= maxWaiting)
      fail("busy", "The server is busy: too many frames of videos are waiting to be decoded.");
    let leave = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.add(resolve);
        leave = () => {
          // Who has been given a turn meanwhile gives it back by running into the signal.
          this.#waiting.delete(resolve);
          reject(signal.reason);
        };
        signal.addEventListener("abort", leave, { once: true });
        this.#next();
      });
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #next(): void {
    for (const begin of this.#waiting) {
      if (this.#running >= this.#max()) return;
      this.#waiting.delete(begin);
      this.#running++;
      begin();
    }
  }
}
