/** The progress of a run, as progress bars show it. */
export interface RunProgress {
  /** 0 to 1. */
  readonly share: number;
  /** Requests and megabytes a second. */
  readonly rate: string;
  /** Finished images, and their number where it is known. */
  readonly count: string;
}

/** Counts of a run. */
export class WarmTally {
  /** Finished images, including failed ones; and failed ones. */
  ended = 0;
  failed = 0;
  /** Images that were in the journal already. */
  skipped = 0;
  requests = 0;
  bytes = 0;
  /** Images in all; undefined until they are counted. */
  total: number | undefined;
  readonly #shares = new Map<string, number>();

  /** Sets how much of an image is done, 0 to 1. */
  at(identifier: string, share: number): void {
    this.#shares.set(identifier, Math.min(1, share));
  }

  end(identifier: string, isFailed: boolean): void {
    this.#shares.delete(identifier);
    this.ended++;
    if (isFailed) this.failed++;
  }

  /** The progress `ms` milliseconds after the start. */
  state(ms: number): RunProgress {
    const { ended, skipped, total } = this;
    const seconds = Math.max(1, ms) / 1_000;
    const rate = `${(this.requests / seconds).toFixed(1)} req/s  ${(this.bytes / seconds / 1e6).toFixed(2)} MB/s`;
    const done = ended + skipped;
    const count = total === undefined ? `${done} images` : `${done}/${total} images`;
    let share = ended;
    for (const one of this.#shares.values()) share += one;
    const left = (total ?? Number.POSITIVE_INFINITY) - skipped;
    return { share: left > 0 ? Math.min(1, share / left) : 1, rate, count };
  }
}
