/** A time budget per turn of the event loop, so that other work is not delayed. */
export class InlineTime {
  readonly #max: number;
  readonly #now: () => number;
  #spent = 0;
  #isCounting = false;

  /** `max` is in milliseconds, `now` a clock in milliseconds. */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  /** Whether this turn has any time left. */
  hasTime(): boolean {
    return this.#spent < this.#max;
  }

  /** Runs work within the budget of this turn, however long it takes. */
  spend<T>(work: () => T): T {
    if (!this.#isCounting) {
      this.#isCounting = true;
      setImmediate(() => {
        this.#isCounting = false;
        this.#spent = 0;
      }).unref();
    }
    const began = this.#now();
    try {
      return work();
    } finally {
      this.#spent += this.#now() - began;
    }
  }
}
