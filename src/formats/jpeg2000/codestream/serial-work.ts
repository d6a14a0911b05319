import { untilAborted } from "../../../core/abort.ts";
import type { RangeReader } from "../../../core/range-reader.ts";

/** Whose work it is. */
export interface Worker {
  readonly signal: AbortSignal;
  /** What the work reads. */
  readonly reader: Pick<RangeReader, "aside">;
}

/** Runs work on shared state one piece after another, in the order of arrival. */
export class SerialWork {
  #last: Promise<void> = Promise.resolve();
  /** Pieces of work that run or wait. */
  #present = 0;

  /**
   * Runs `work` once all earlier work has ended. Rejects with the signal's reason where it aborts
   * before that.
   */
  async take<T>({ signal, reader }: Worker, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let done = (): void => {};
    this.#last = new Promise((resolve) => {
      done = resolve;
    });
    const isFirst = this.#present === 0;
    this.#present++;
    const wait = (): Promise<void> => untilAborted(signal, before);
    try {
      // The work before this one may wait for a server.
      await (isFirst || reader.aside === undefined ? wait() : reader.aside(wait));
    } catch (error) {
      // Later work must still wait for what runs.
      void before.then(() => this.#end(done));
      throw error;
    }
    try {
      return await work();
    } finally {
      this.#end(done);
    }
  }

  #end(done: () => void): void {
    this.#present--;
    done();
  }
}
