/** When a failing server is left alone. */
export interface BreakerLimits {
  /** Consecutive failures; 0 for never. */
  readonly failures: number;
  /** Milliseconds of the first pause. */
  readonly pauseMs: number;
}

/** The outcome of a request that a breaker allowed. */
export type RequestOutcome = "answered" | "failed" | "abandoned";

/** Maximum length of a pause in milliseconds. */
const longestPauseMs = 60_000;

/**
 * A circuit breaker: after so many consecutive failures it allows nothing for a while, then one
 * trial request; if that fails, too, the next pause is twice as long.
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
   * Allows a request, returning the callback for its outcome; undefined where it may not be sent
   * now.
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
    // Requests in flight when the pause began say nothing new.
    if (failures === 0 || (!isTrial && this.#pauses > 0)) return;
    if (!isTrial && this.#failures < failures) return;
    this.#until = this.#now() + Math.min(longestPauseMs, pauseMs * 2 ** this.#pauses);
    this.#pauses = Math.min(this.#pauses + 1, 20);
  }
}
