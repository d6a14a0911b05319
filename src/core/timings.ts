/** What an answer goes through, in this order as a rule. */
export const stages = [
  "parse",
  "info",
  "plan",
  "cache",
  "share",
  "stored",
  "wait",
  "read",
  "draw",
  "keep",
  "answer",
] as const;

/**
 * A stage of an answer: `parse` reads the request, `info` finds the image and learns what it is,
 * `plan` settles what is wanted, `cache` looks for the finished image, `share` waits for another
 * request that has the same one drawn, `stored` looks for it among the stored tiles and reads it,
 * `wait` is the wait to be admitted, `read` finds and reads what has to be decoded, `draw` decodes,
 * draws and encodes (which go together, row by row), `keep` puts it in the cache, and `answer`
 * writes headers and bodies.
 */
export type Stage = (typeof stages)[number];

/**
 * How an image was made: sent as it is stored, its pixels encoded again, these reduced, or drawn by
 * libvips.
 */
export type WayName = "stored" | "recoded" | "scaled" | "drawn";

/**
 * Milliseconds by stage, in the order of `stages`; those that were not gone through are left out.
 */
export type StageTimes = Readonly<Partial<Record<Stage, number>>>;

/** Where the time of one request goes: one stage after the other, until its end. */
export class Timings {
  readonly #now: () => number;
  readonly #began: number;
  #since: number;
  #stage: Stage = "parse";
  #ended = false;
  #way: WayName | undefined;
  // Fields from the start, and no lists: this is made for every request, and mostly for nobody.
  readonly #times: Record<Stage, number> = {
    parse: 0,
    info: 0,
    plan: 0,
    cache: 0,
    share: 0,
    stored: 0,
    wait: 0,
    read: 0,
    draw: 0,
    keep: 0,
    answer: 0,
  };

  /** `now` is a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#began = now();
    this.#since = this.#began;
  }

  /** Ends the stage that was gone through and begins another; once all has ended, does nothing. */
  enter(stage: Stage): void {
    if (this.#ended) return;
    const now = this.#now();
    this.#times[this.#stage] += now - this.#since;
    this.#since = now;
    this.#stage = stage;
  }

  /** Notes how the image was made that the request is answered with. */
  answeredBy(way: WayName): void {
    if (!this.#ended) this.#way = way;
  }

  /** How the image was made; undefined where it was kept already, and where there is none. */
  get way(): WayName | undefined {
    return this.#way;
  }

  /** Ends the last stage. What is still done for others from now on does not count. */
  end(): void {
    this.enter(this.#stage);
    this.#ended = true;
  }

  /** Milliseconds from the start up to the last stage that was entered, or to the end. */
  get total(): number {
    return this.#since - this.#began;
  }

  /** What each stage took so far, in milliseconds to a thousandth. */
  get times(): StageTimes {
    const times: Partial<Record<Stage, number>> = {};
    for (const stage of stages) {
      const ms = this.#times[stage];
      if (ms > 0) times[stage] = thousandths(ms);
    }
    return times;
  }
}

/** Milliseconds to a thousandth. */
export const thousandths = (ms: number): number => Math.round(ms * 1_000) / 1_000;
