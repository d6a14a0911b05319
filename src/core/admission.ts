import { type AdmissionCounts, type Counts, initialCounts } from "./admission-counts.ts";
import { type FullLane, queueFull, waitTooLong } from "./busy.ts";
import { Cooldown } from "./cooldown.ts";
import { ServerError } from "./errors.ts";
import {
  type Cost,
  Lane,
  type LaneEntry,
  type LaneLimits,
  type LaneLoad,
  type LaneName,
} from "./lane.ts";
import { Pace } from "./pace.ts";
import { LaneStay } from "./stay.ts";

export type { Cost } from "./lane.ts";

/** Limits on concurrent and queued work. */
export interface AdmissionLimits {
  /** For tiles and other quick work. */
  readonly small: LaneLimits;
  readonly large: LaneLimits;
  /** Work of more pixels is large, and so is work that needs more bytes than the small lane has. */
  readonly largePixels: number;
  /** Maximum queue length of each lane. */
  readonly waiting: number;
  /**
   * Milliseconds: work with a longer estimated wait is refused at once, and work that has waited
   * twice that, too.
   */
  readonly patienceMs: number;
  /**
   * How long the next large piece is held back while the small lane is full, as a multiple of the
   * previous one's duration, unless small work waits for it or it has waited for `patienceMs`.
   */
  readonly rest: number;
}

/** Current work and totals. */
export interface AdmissionState {
  readonly small: LaneLoad;
  readonly large: LaneLoad;
  readonly counts: AdmissionCounts;
}

/** An admitted piece of work's place in its lane. */
export interface Admitted {
  /**
   * Lets other work run while this one waits for something that needs neither processors nor
   * memory, such as a remote server; this work then goes first.
   */
  readonly aside: <T>(wait: () => Promise<T>) => Promise<T>;
}

/**
 * Decides when work may start: small and large work have separate lanes, each bounded in number and
 * bytes; a bounded number waits for a bounded time, and the rest is refused at once.
 */
export class Admission {
  readonly #limits: () => AdmissionLimits;
  readonly #now: () => number;
  readonly #small = new Track("small");
  readonly #large = new Track("large");
  readonly #counts: Counts = { ...initialCounts };
  readonly #cooldown: Cooldown;

  constructor(
    limits: () => AdmissionLimits,
    { now = () => performance.now() }: { readonly now?: () => number } = {},
  ) {
    this.#limits = limits;
    this.#now = now;
    this.#cooldown = new Cooldown(now, () => this.#advance());
  }

  /** The current limits. */
  get limits(): AdmissionLimits {
    return this.#limits();
  }

  get state(): AdmissionState {
    return {
      small: this.#small.lane.load,
      large: this.#large.lane.load,
      counts: { ...this.#counts },
    };
  }

  /** The lane of a piece of work. */
  laneOf(cost: Cost): LaneName {
    return this.#trackOf(cost, this.#limits()).name;
  }

  /** Whether anything is queued: where nothing is, hardly anything is refused. */
  get isCrowded(): boolean {
    return this.#small.lane.load.waiting + this.#large.lane.load.waiting > 0;
  }

  /**
   * Throws what `run` would throw at once for lack of capacity: for callers with expensive
   * preparations. Work that passes here may still be refused later.
   */
  check(cost: Cost): void {
    const limits = this.#limits();
    const refusal = this.#refusal(cost, this.#trackOf(cost, limits), limits);
    if (refusal) throw refusal;
  }

  /**
   * Runs `work` when it is admitted. Throws `malformed` when it can never fit, `busy` when the
   * queue is full or too slow, and the signal's reason when it aborts before `work` has started.
   * From then on its memory counts as used until `work` settles, even if the caller has left.
   */
  async run<T>(cost: Cost, signal: AbortSignal, work: (turn: Admitted) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const limits = this.#limits();
    const track = this.#trackOf(cost, limits);
    const refusal = this.#refusal(cost, track, limits);
    if (refusal) throw refusal;
    const entry = await this.#turn(cost, track, { signal, limits });
    const began = this.#now();
    const stay = new LaneStay(track.lane, entry, {
      advance: () => this.#advance(),
      now: this.#now,
      signal,
    });
    try {
      const result = await work(stay);
      // Failed or aborted work says nothing about speed.
      if (!signal.aborted) track.pace.note(cost.pixels, this.#now() - began - stay.asideMs);
      return result;
    } finally {
      this.#counts.done++;
      if (signal.aborted) this.#counts.abandoned++;
      stay.end();
      const took = this.#now() - began - stay.asideMs;
      if (track === this.#large && !cost.isAwaited) this.#cooldown.begin(took, this.#limits().rest);
      this.#advance();
    }
  }

  #trackOf({ pixels, bytes }: Cost, limits: AdmissionLimits): Track {
    return pixels > limits.largePixels || bytes > limits.small.bytes ? this.#large : this.#small;
  }

  /** Why a piece of work is refused, if it is; counts it. */
  #refusal(cost: Cost, track: Track, limits: AdmissionLimits): ServerError | undefined {
    const { lane, name } = track;
    const own = limits[name];
    const { running, waiting } = lane.load;
    if (name === "small" && running + waiting + 1 >= own.running) this.#cooldown.noteFull();
    if (cost.bytes > own.bytes) {
      this.#counts.refusedHuge++;
      return tooHuge(cost.bytes, own.bytes);
    }
    if (lane.isOpenTo(cost, own)) return undefined;
    const crowd = this.#crowd(track, limits, cost);
    if (crowd.waiting >= limits.waiting) {
      this.#counts.refusedFull++;
      return queueFull(crowd);
    }
    if (crowd.expectedMs <= limits.patienceMs) return undefined;
    this.#counts.refusedSlow++;
    return waitTooLong(crowd);
  }

  /** The queue ahead of a new piece of work in a lane. */
  #crowd(track: Track, limits: AdmissionLimits, { isAwaited }: Cost): FullLane {
    const { lane, pace, name } = track;
    const { running } = limits[name];
    const workMs = pace.expect(lane.pixelsAhead) / running;
    const restMs = name === "large" && !isAwaited ? this.#expectedRestMs(track, limits) : 0;
    return { lane: name, waiting: lane.load.waiting, expectedMs: workMs + restMs };
  }

  /**
   * The expected pauses in milliseconds before new large work: one after each piece ahead, including
   * the running one. Small work is expected to fill its lane for as long again as it has so far,
   * since the tiles of one view fill it for a moment only.
   */
  #expectedRestMs({ lane, pace, name }: Track, limits: AdmissionLimits): number {
    if (!this.#smallIsFull(limits)) return 0;
    const { rest } = limits;
    const pauses = (pace.expect(lane.pixels) / limits[name].running) * rest;
    return Math.min(pauses + Math.max(0, this.#cooldown.leftMs), this.#cooldown.fullMs * rest);
  }

  #turn(
    cost: Cost,
    { lane, name }: Track,
    { signal, limits }: { readonly signal: AbortSignal; readonly limits: AdmissionLimits },
  ): Promise<LaneEntry> {
    return new Promise((resolve, reject) => {
      const came = this.#now();
      const max = limits.patienceMs * 2;
      let timer: NodeJS.Timeout | undefined;
      const giveUp = (count: "left" | "refusedSlow", reason: unknown): void => {
        settle();
        this.#counts[count]++;
        lane.leave(entry);
        reject(reason);
        this.#advance();
      };
      const leave = (): void => giveUp("left", signal.reason);
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
      };
      let admitted = false;
      const entry: LaneEntry = {
        cost,
        came,
        admit: () => {
          admitted = true;
          settle();
          this.#counts.begun++;
          if (timer !== undefined) {
            this.#counts.waited++;
            this.#counts.waitedMs += this.#now() - came;
          }
          resolve(entry);
        },
      };
      lane.enter(entry);
      this.#advance();
      if (admitted) return;
      signal.addEventListener("abort", leave, { once: true });
      timer = setTimeout(() => {
        const crowd = { lane: name, waiting: lane.load.waiting, expectedMs: max };
        giveUp("refusedSlow", waitTooLong(crowd));
      }, max);
    });
  }

  #smallIsFull({ small }: AdmissionLimits): boolean {
    return this.#cooldown.isFull(this.#small.lane.load, small.running);
  }

  /** Admits everything that fits now. */
  #advance(): void {
    const limits = this.#limits();
    this.#small.lane.advance(limits.small);
    const { oldest } = this.#large.lane;
    if (oldest === undefined) return;
    // Requests admitted to the queue while no tiles were requested did not count the pauses that
    // tiles cause.
    const { came, cost } = oldest;
    const restMs = Math.min(this.#cooldown.leftMs, came + limits.patienceMs - this.#now());
    if (cost.isAwaited || restMs <= 0 || !this.#smallIsFull(limits))
      this.#large.lane.advance(limits.large);
    else this.#cooldown.lookAgainIn(restMs);
  }
}

/** A lane and its measured speed. */
class Track {
  readonly lane = new Lane();
  readonly pace = new Pace();
  readonly name: LaneName;

  constructor(name: LaneName) {
    this.name = name;
  }
}

const tooHuge = (bytes: number, max: number): ServerError =>
  new ServerError(
    "malformed",
    `size: expected an image that can be rendered with ${megabytes(max)} MB of memory, got one that takes about ${megabytes(bytes)} MB`,
  );

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
