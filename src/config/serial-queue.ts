/** Runs work one piece after the other, in order of arrival. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Settles as the work does; a failed piece does not block the next one. */
  take(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
