import type { LaneLoad } from "./lane.ts";

/**
 * Pauses after each piece of large work while the lane of small work is full: each lasts as long as
 * the work took, times a factor, so that large work gets a share of the processors and not all.
 */
export class Cooldown {
  readonly #now: () => number;
  readonly #onEnd: () => void;
  #until = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** When small work last filled its lane, or found it full. */
  #filled = Number.NEGATIVE_INFINITY;
  /** When the latest period in which small work fills its lane, without a lull, began. */
  #since = Number.NEGATIVE_INFINITY;

  /** `now` is a clock in milliseconds; `onEnd` is called when a pause may be over. */
  constructor(now: () => number, onEnd: () => void) {
    this.#now = now;
    this.#onEnd = onEnd;
  }

  /** Milliseconds until the latest pause is over; negative where it is. */
  get leftMs(): number {
    return this.#until - this.#now();
  }

  /** Records small work that fills its lane, or finds it full. */
  noteFull(): void {
    const now = this.#now();
    if (now - this.#filled >= lullMs) this.#since = now;
    this.#filled = now;
  }

  /** Milliseconds for which small work has filled its lane without a lull, up to now. */
  get fullMs(): number {
    return this.#now() - this.#since;
  }

  /** Whether small work fills its lane, which has so many slots. */
  isFull({ running, waiting }: LaneLoad, max: number): boolean {
    // Tiles come in quick succession: a momentarily free slot does not mean that there is capacity.
    return running + waiting >= max || this.#now() - this.#filled < lullMs;
  }

  /** Begins a pause after a piece of so many milliseconds, `share` times as long. */
  begin(ms: number, share: number): void {
    this.#until = this.#now() + Math.min(ms * share, longestMs);
  }

  /**
   * Schedules `onEnd` after so many milliseconds, or after the next lull of small work if that may
   * be earlier.
   */
  lookAgainIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#onEnd();
    }, Math.min(ms, lullMs) + 1);
  }
}

/** Without a full lane of small work for so many milliseconds, there is capacity for more. */
const lullMs = 250;

/** Maximum length of a pause in milliseconds. */
const longestMs = 10_000;
