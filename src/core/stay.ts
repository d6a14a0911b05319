import type { Lane, LaneEntry } from "./lane.ts";

/** The parts of the lanes that a stay uses. */
interface StayParts {
  /** Admits everything that fits now. */
  readonly advance: () => void;
  readonly now: () => number;
  /** Aborts when the work is cancelled: then it no longer waits to be admitted again. */
  readonly signal: AbortSignal;
}

/** Milliseconds without activity in a lane after which work returns to it beyond its limits. */
const maxStillMs = 1_000;

/** The stay of a piece of work in its lane, which it may leave temporarily to wait. */
export class LaneStay {
  readonly #lane: Lane;
  readonly #parts: StayParts;
  #entry: LaneEntry;
  #waits = 0;
  #isAway = false;
  #awaySince = 0;
  #returning: Promise<void> | undefined;
  #asideMs = 0;
  #isOver = false;
  /** Ends the wait for readmission. */
  #stopWaiting = nothing;

  constructor(lane: Lane, entry: LaneEntry, parts: StayParts) {
    this.#lane = lane;
    this.#entry = entry;
    this.#parts = parts;
  }

  /** Milliseconds spent outside, including the wait for readmission. */
  get asideMs(): number {
    return this.#asideMs;
  }

  /** As in `Admitted`. Waits shorter than a turn of the event loop are not worth leaving for. */
  readonly aside = async <T>(wait: () => Promise<T>): Promise<T> => {
    this.#waits++;
    const waiting = wait();
    const isQuick = await Promise.race([waiting.then(yes, yes), soon()]);
    if (!isQuick) this.#leave();
    try {
      return await waiting;
    } finally {
      this.#waits--;
      if (this.#waits === 0 && this.#isAway) this.#returning ??= this.#return();
      if (this.#waits === 0) await this.#returning;
    }
  };

  /** Leaves for good. */
  end(): void {
    this.#isOver = true;
    this.#lane.leave(this.#entry);
    this.#stopWaiting();
  }

  #leave(): void {
    if (this.#isAway || this.#isOver) return;
    this.#isAway = true;
    this.#awaySince = this.#parts.now();
    this.#lane.leave(this.#entry);
    this.#parts.advance();
  }

  async #return(): Promise<void> {
    await this.#readmitted();
    this.#isAway = false;
    this.#returning = undefined;
    this.#asideMs += this.#parts.now() - this.#awaySince;
  }

  /**
   * Waits for readmission; returns at once where another part of the work ended it, or it was
   * cancelled.
   */
  async #readmitted(): Promise<void> {
    const { signal, advance } = this.#parts;
    if (this.#isOver || signal.aborted) return;
    let look: NodeJS.Timeout | undefined;
    await new Promise<void>((admit) => {
      const entry = { ...this.#entry, admit };
      this.#entry = entry;
      this.#stopWaiting = () => {
        this.#lane.leave(entry);
        admit();
      };
      signal.addEventListener("abort", this.#stopWaiting, { once: true });
      this.#lane.enterFirst(entry);
      advance();
      let moves = this.#lane.moves;
      // Running work may be waiting for what this work holds: a deadlock otherwise.
      look = setInterval(() => {
        if (this.#lane.moves === moves) this.#lane.admit(entry);
        moves = this.#lane.moves;
      }, maxStillMs);
    });
    clearInterval(look);
    signal.removeEventListener("abort", this.#stopWaiting);
    this.#stopWaiting = nothing;
  }
}

const nothing = (): void => {};
const yes = (): boolean => true;
const soon = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false));
