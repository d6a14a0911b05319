import { setImmediate } from "node:timers/promises";

/** Lets others have the event loop in the midst of long work. */
export class Breath {
  #done = 0;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Takes note of so many pieces of work; true where it is time to rest. */
  isDue(pieces: number): boolean {
    this.#done += pieces;
    return this.#done >= piecesAtOnce;
  }

  /** Throws the signal's reason where it aborted. */
  async rest(): Promise<void> {
    this.#done = 0;
    await setImmediate();
    this.#signal.throwIfAborted();
  }
}

/** Blocks of a packet header; half a millisecond of them. */
const piecesAtOnce = 512;

/** Does work that stops now and then, and rests there. */
export const unhurried = async <T>(work: Generator<void, T>, breath: Breath): Promise<T> => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await breath.rest();
  }
};

/** Does such work without a rest. */
export const hurried = <T>(work: Generator<void, T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
};
