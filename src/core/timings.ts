/** The stages of a response, in their usual order. */
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
 * A stage of a response: `parse` reads the request, `info` finds the image and reads its info,
 * `plan` resolves the request, `cache` looks for the derivative, `share` waits for another request
 * that renders the same one, `stored` looks for a stored tile and reads it, `wait` is the wait for
 * admission, `read` finds and reads what has to be decoded, `draw` decodes, renders and encodes
 * (interleaved row by row), `keep` writes to the cache, and `answer` writes headers and body.
 */
export type Stage = (typeof stages)[number];

/**
 * How an image was made: sent as stored, its pixels encoded again, these downscaled, or rendered by
 * libvips.
 */
export type WayName = "stored" | "recoded" | "scaled" | "drawn";

/** Milliseconds by stage, in the order of `stages`; skipped stages are absent. */
export type StageTimes = Readonly<Partial<Record<Stage, number>>>;

/** Measures the time of one request, one stage after the other, until its end. */
export class Timings {
  readonly #now: () => number;
  readonly #began: number;
  #since: number;
  #stage: Stage = "parse";
  #ended = false;
  #way: WayName | undefined;
  // Fields from the start, and no lists: one is created for every request, and mostly not read.
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

  /** Ends the current stage and begins another; does nothing after the end. */
  enter(stage: Stage): void {
    if (this.#ended) return;
    const now = this.#now();
    this.#times[this.#stage] += now - this.#since;
    this.#since = now;
    this.#stage = stage;
  }

  /** Records how the response's image was made. */
  answeredBy(way: WayName): void {
    if (!this.#ended) this.#way = way;
  }

  /** How the image was made; undefined where it was cached, and without an image. */
  get way(): WayName | undefined {
    return this.#way;
  }

  /** Ends the last stage. Work that continues for others does not count. */
  end(): void {
    this.enter(this.#stage);
    this.#ended = true;
  }

  /** Milliseconds from the start to the latest stage, or to the end. */
  get total(): number {
    return this.#since - this.#began;
  }

  /** Milliseconds spent so far on locating and reading the file. */
  get reading(): number {
    const { info, stored, read } = this.#times;
    return info + stored + read;
  }

  /** Duration of each stage so far, in milliseconds to a thousandth. */
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
