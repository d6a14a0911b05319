/** The estimated cost of a piece of work. */
export interface Cost {
  /** Bytes of memory while it runs. */
  readonly bytes: number;
  /** Pixels decoded and encoded, weighted by the codec's cost: a measure of its duration. */
  readonly pixels: number;
  /** Whether small work waits for it: then it is not held back for small work. */
  readonly isAwaited?: true;
}

/** Limits of concurrent work in a lane. */
export interface LaneLimits {
  /** Pieces of work; at least 1. */
  readonly running: number;
  /** The sum of their bytes. */
  readonly bytes: number;
}

/** The lanes: one for tiles and other quick work, one for everything else. */
export type LaneName = "small" | "large";

/** An entry of a lane; `admit` is called once, when it may start. */
export interface LaneEntry {
  readonly cost: Cost;
  /** Its arrival, in milliseconds of any clock. */
  readonly came: number;
  readonly admit: () => void;
}

/** The content of a lane. */
export interface LaneLoad {
  readonly running: number;
  readonly waiting: number;
  /** Of running work. */
  readonly bytes: number;
}

/**
 * A lane of work in FIFO order that admits nothing beyond its limits. The head of the queue is
 * never overtaken, so that nothing in a lane starves.
 */
export class Lane {
  readonly #queue = new Set<LaneEntry>();
  readonly #running = new Set<LaneEntry>();
  #bytes = 0;
  #waitingPixels = 0;
  #runningPixels = 0;
  #moves = 0;

  /** Number of admissions and departures so far. */
  get moves(): number {
    return this.#moves;
  }

  get load(): LaneLoad {
    return { running: this.#running.size, waiting: this.#queue.size, bytes: this.#bytes };
  }

  /** Work queued ahead of a new request, in pixels; running work counts as half done. */
  get pixelsAhead(): number {
    return this.#waitingPixels + this.#runningPixels / 2;
  }

  /** Pixels of all work in the lane. */
  get pixels(): number {
    return this.#waitingPixels + this.#runningPixels;
  }

  /** The queue's head; undefined when the queue is empty. */
  get oldest(): Pick<LaneEntry, "came" | "cost"> | undefined {
    for (const entry of this.#queue) return entry;
    return undefined;
  }

  /** Whether new work would start at once. */
  isOpenTo(cost: Cost, limits: LaneLimits): boolean {
    return this.#queue.size === 0 && this.#hasRoom(cost, limits);
  }

  /** Appends an entry to the queue. */
  enter(entry: LaneEntry): void {
    this.#queue.add(entry);
    this.#waitingPixels += entry.cost.pixels;
  }

  /** Puts an entry at the head of the queue. */
  enterFirst(entry: LaneEntry): void {
    const others = [...this.#queue];
    this.#queue.clear();
    this.enter(entry);
    for (const other of others) this.#queue.add(other);
  }

  /** Admits from the head of the queue while there is capacity. */
  advance(limits: LaneLimits): void {
    for (const entry of this.#queue) {
      if (!this.#hasRoom(entry.cost, limits)) return;
      this.admit(entry);
    }
  }

  /** Admits an entry of the queue regardless of capacity. */
  admit(entry: LaneEntry): void {
    if (!this.#queue.delete(entry)) return;
    this.#moves++;
    this.#waitingPixels -= entry.cost.pixels;
    this.#running.add(entry);
    this.#bytes += entry.cost.bytes;
    this.#runningPixels += entry.cost.pixels;
    entry.admit();
  }

  /** Removes an entry, running or queued. */
  leave(entry: LaneEntry): void {
    const { bytes, pixels } = entry.cost;
    if (this.#queue.delete(entry)) this.#waitingPixels -= pixels;
    if (!this.#running.delete(entry)) return;
    this.#moves++;
    this.#bytes -= bytes;
    this.#runningPixels -= pixels;
  }

  #hasRoom({ bytes }: Cost, limits: LaneLimits): boolean {
    // An empty lane admits any entry: lowered limits must not leave it stuck.
    if (this.#running.size === 0) return true;
    return this.#running.size < limits.running && this.#bytes + bytes <= limits.bytes;
  }
}
