/** Work that is done one piece after the other, in the order in which it came. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Settles as the work does; a piece that fails does not keep the next one from its turn. */
  take(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
