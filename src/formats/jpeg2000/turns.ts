import { unlessAborted } from "../../core/leaving.ts";

/** One after another: who changes what others change too waits for them here. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Runs `work` once all who asked before are done; whoever's signal aborts before that leaves the queue. */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let done = (): void => {};
    this.#last = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await unlessAborted(signal, before);
    } catch (error) {
      // Who comes behind must still wait for who is at work.
      void before.then(done);
      throw error;
    }
    try {
      return await work();
    } finally {
      done();
    }
  }
}
