import { untilAborted } from "../core/abort.ts";

/** Lets one piece of work run while no other does. */
export class ExclusiveRun {
  readonly #holdMs: number;
  #running = 0;
  #alone: Alone | undefined;
  #emptied: (() => void) | undefined;

  /**
   * `holdMs`: maximum time, in milliseconds, that others are held back for one piece of work,
   * including its own wait.
   */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  /** Whether exclusive work is running or waiting. */
  get isTaken(): boolean {
    return this.#alone !== undefined;
  }

  /**
   * Resolves once no exclusive work holds others back, after `holdMs` at the latest; rejects when
   * the signal aborts.
   */
  async opened(signal: AbortSignal): Promise<void> {
    const alone = this.#alone;
    if (alone !== undefined) await untilAborted(signal, alone.over);
  }

  /** Runs concurrently with others; must not be called while exclusive work holds others back. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      if (this.#running === 0) this.#emptied?.();
    }
  }

  /**
   * Waits until nothing runs and then runs alone; must not be called while exclusive work holds
   * others back. Undefined, without having run, where the others took too long. Others resume after
   * `holdMs`, even if it still runs.
   */
  async alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    let open = (): void => {};
    const over = new Promise<void>((resolve) => {
      open = resolve;
    });
    const alone: Alone = { over };
    this.#alone = alone;
    const end = (): void => {
      if (this.#alone === alone) this.#alone = undefined;
      open();
    };
    const patience = setTimeout(end, this.#holdMs);
    try {
      const emptied = new Promise<void>((resolve) => {
        if (this.#running === 0) resolve();
        else this.#emptied = resolve;
      });
      await untilAborted(signal, Promise.race([emptied, over]));
      if (this.#running > 0) return undefined;
      return await this.beside(work);
    } finally {
      clearTimeout(patience);
      end();
    }
  }
}

interface Alone {
  /** Resolves when others may resume. */
  readonly over: Promise<void>;
}
