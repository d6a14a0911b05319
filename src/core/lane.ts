/** What a piece of work will take, estimated before it begins. */
export interface Cost {
  /** Bytes of memory while it runs. */
  readonly bytes: number;
  /**
   * Pixels decoded and encoded, dear codecs counted several times: a measure of the time it takes.
   */
  readonly pixels: number;
}

/** How much may be under way in a lane at once. */
export interface LaneLimits {
  /** Pieces of work; at least 1. */
  readonly running: number;
  /** The sum of their bytes. */
  readonly bytes: number;
}

/** The lanes there are: of tiles and other quick work, and of all else. */
export type LaneName = "small" | "large";

/** Something in a lane; `admit` is called once, when its turn has come. */
export interface LaneEntry {
  readonly cost: Cost;
  /** When it came, in milliseconds of any clock. */
  readonly came: number;
  readonly admit: () => void;
}

/** What is in a lane. */
export interface LaneLoad {
  readonly running: number;
  readonly waiting: number;
  /** Of what runs. */
  readonly bytes: number;
}

/**
 * A lane of work: what comes first begins first, and nothing begins that its limits have no room
 * for. What stands at the head is never overtaken, so that nothing in a lane can starve.
 */
export class Lane {
  readonly #queue = new Set<LaneEntry>();
  readonly #running = new Set<LaneEntry>();
  #bytes = 0;
  #waitingPixels = 0;
  #runningPixels = 0;
  #moves = 0;

  /** How often anything was admitted, or left, so far. */
  get moves(): number {
    return this.#moves;
  }

  get load(): LaneLoad {
    return { running: this.#running.size, waiting: this.#queue.size, bytes: this.#bytes };
  }

  /** Pixels that someone who comes now has before him; what runs is taken to be half done. */
  get pixelsAhead(): number {
    return this.#waitingPixels + this.#runningPixels / 2;
  }

  /** Pixels of all that is in the lane. */
  get pixels(): number {
    return this.#waitingPixels + this.#runningPixels;
  }

  /** When what stands at the head of the queue came; undefined when nothing waits. */
  get oldest(): number | undefined {
    for (const { came } of this.#queue) return came;
    return undefined;
  }

  /** Whether a piece of work that came now would begin at once. */
  isOpenTo(cost: Cost, limits: LaneLimits): boolean {
    return this.#queue.size === 0 && this.#hasRoom(cost, limits);
  }

  /** Puts an entry at the end of the queue. */
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

  /** Admits from the head of the queue as long as there is room. */
  advance(limits: LaneLimits): void {
    for (const entry of this.#queue) {
      if (!this.#hasRoom(entry.cost, limits)) return;
      this.admit(entry);
    }
  }

  /** Admits an entry of the queue, whether there is room or not. */
  admit(entry: LaneEntry): void {
    if (!this.#queue.delete(entry)) return;
    this.#moves++;
    this.#waitingPixels -= entry.cost.pixels;
    this.#running.add(entry);
    this.#bytes += entry.cost.bytes;
    this.#runningPixels += entry.cost.pixels;
    entry.admit();
  }

  /** Takes an entry out, whether it runs or waits. */
  leave(entry: LaneEntry): void {
    const { bytes, pixels } = entry.cost;
    if (this.#queue.delete(entry)) this.#waitingPixels -= pixels;
    if (!this.#running.delete(entry)) return;
    this.#moves++;
    this.#bytes -= bytes;
    this.#runningPixels -= pixels;
  }

  #hasRoom({ bytes }: Cost, limits: LaneLimits): boolean {
    // An empty lane admits whatever has got so far: settings that shrink must not leave it stuck.
    if (this.#running.size === 0) return true;
    return this.#running.size < limits.running && this.#bytes + bytes <= limits.bytes;
  }
}
