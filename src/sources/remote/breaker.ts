/** When a server that fails is left alone. */
export interface BreakerLimits {
  /** Failures in a row; 0 for never. */
  readonly failures: number;
  /** Milliseconds of the first pause. */
  readonly pauseMs: number;
}

/** What came of a request that a breaker let through. */
export type RequestOutcome = "answered" | "failed" | "abandoned";

/** The longest pause, in milliseconds. */
const longestPauseMs = 60_000;

/**
 * A circuit breaker: after so many failures in a row nothing is let through for a while, then one
 * request that tries; if that fails, too, the next pause is twice as long.
 */
export class Breaker {
  readonly #limits: () => BreakerLimits;
  readonly #now: () => number;
  #failures = 0;
  #pauses = 0;
  #until = Number.NEGATIVE_INFINITY;
  #isTrying = false;

  constructor(limits: () => BreakerLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get state(): "closed" | "open" | "trying" {
    if (this.#pauses === 0) return "closed";
    return this.#isTrying || this.#now() >= this.#until ? "trying" : "open";
  }

  /**
   * Lets a request through, answering what has to be told of its outcome; undefined where it may
   * not be sent now.
   */
  enter(): ((outcome: RequestOutcome) => void) | undefined {
    if (this.#pauses === 0) return (outcome) => this.#note(outcome, false);
    if (this.#isTrying || this.#now() < this.#until) return undefined;
    this.#isTrying = true;
    return (outcome) => this.#note(outcome, true);
  }

  #note(outcome: RequestOutcome, isTrial: boolean): void {
    if (isTrial) this.#isTrying = false;
    if (outcome === "abandoned") return;
    if (outcome === "answered") {
      this.#failures = 0;
      this.#pauses = 0;
      return;
    }
    this.#failures++;
    const { failures, pauseMs } = this.#limits();
    // What was under way when the pause began says nothing new.
    if (failures === 0 || (!isTrial && this.#pauses > 0)) return;
    if (!isTrial && this.#failures < failures) return;
    this.#until = this.#now() + Math.min(longestPauseMs, pauseMs * 2 ** this.#pauses);
    this.#pauses = Math.min(this.#pauses + 1, 20);
  }
}
