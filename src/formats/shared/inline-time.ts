/**
 * The time that one turn of the event loop has for something, so that whatever else it has to do is
 * not kept waiting.
 */
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

  /** Does something in the time of this turn, however long it takes. */
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
