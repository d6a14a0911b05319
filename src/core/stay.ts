import type { Entry, Lane } from "./lane.ts";

/** What a stay needs of the lanes. */
interface StayParts {
  /** Admits whatever has room now. */
  readonly advance: () => void;
  readonly now: () => number;
  /** Whether nothing waits for its turn, so that nobody has to leave. */
  readonly countsOnly: boolean;
}

/** The stay of a piece of work in its lane, which it may leave for a while to wait. */
export class Stay {
  readonly #lane: Lane;
  readonly #parts: StayParts;
  #entry: Entry;
  #waits = 0;
  #isAway = false;
  #awaySince = 0;
  #returning: Promise<void> | undefined;
  #asideMs = 0;
  #isOver = false;

  constructor(lane: Lane, entry: Entry, parts: StayParts) {
    this.#lane = lane;
    this.#entry = entry;
    this.#parts = parts;
  }

  /** Milliseconds spent away, the wait for the next turn included. */
  get asideMs(): number {
    return this.#asideMs;
  }

  /** As `Turn` has it. What is over within a turn of the event loop is not worth leaving. */
  readonly aside = async <T>(wait: () => Promise<T>): Promise<T> => {
    if (this.#parts.countsOnly) return wait();
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
  }

  #leave(): void {
    if (this.#isAway || this.#isOver) return;
    this.#isAway = true;
    this.#awaySince = this.#parts.now();
    this.#lane.leave(this.#entry);
    this.#parts.advance();
  }

  async #return(): Promise<void> {
    // What another part of the work has ended must not come back.
    if (this.#isOver) return;
    await new Promise<void>((admit) => {
      this.#entry = { ...this.#entry, admit };
      this.#lane.enterFirst(this.#entry);
      this.#parts.advance();
    });
    this.#isAway = false;
    this.#returning = undefined;
    this.#asideMs += this.#parts.now() - this.#awaySince;
  }
}

const yes = (): boolean => true;
const soon = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false));
