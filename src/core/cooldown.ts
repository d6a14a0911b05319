import type { LaneLoad } from "./lane.ts";

/**
 * The rests that large work takes after each piece while small work fills its lane: it pays back
 * the time it took, so that it has a share of the processors and not all.
 */
export class Cooldown {
  readonly #now: () => number;
  readonly #onEnd: () => void;
  #until = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** When small work last came that filled its lane, or found it full. */
  #filled = Number.NEGATIVE_INFINITY;

  /**
   * By a clock of milliseconds; `onEnd` is called when it is time to look again whether a rest is
   * over.
   */
  constructor(now: () => number, onEnd: () => void) {
    this.#now = now;
    this.#onEnd = onEnd;
  }

  /** Milliseconds until the latest rest is over; negative where it is. */
  get leftMs(): number {
    return this.#until - this.#now();
  }

  /** Takes note that small work came that fills its lane, or finds it full. */
  noteFull(): void {
    this.#filled = this.#now();
  }

  /** Whether small work fills its lane, in which so many may be under way. */
  isFull({ running, waiting }: LaneLoad, max: number): boolean {
    // Tiles come in quick succession: a moment with room does not mean that there is enough of it.
    return running + waiting >= max || this.#now() - this.#filled < lullMs;
  }

  /** Begins a rest after a piece of so many milliseconds, `share` times as long as that. */
  begin(ms: number, share: number): void {
    this.#until = this.#now() + Math.min(ms * share, longestMs);
  }

  /**
   * Has `onEnd` called after so many milliseconds, or a lull of small work if that may come before.
   */
  lookAgainIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#onEnd();
    }, Math.min(ms, lullMs) + 1);
  }
}

/**
 * So long without a full lane of small work, in milliseconds, means that there is room for more.
 */
const lullMs = 250;

/** No rest takes longer than this, in milliseconds. */
const longestMs = 10_000;
