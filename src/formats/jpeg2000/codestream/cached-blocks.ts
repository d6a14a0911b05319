/** What is known of a block: its place in the cache, a multiple of 16, or one of these. */
export const unknown = -1;
/** It is empty: all zero. */
export const nothing = -2;

/**
 * Consecutive numbers that are looked up and evicted together: so many, or all of a tile that has
 * few.
 */
const runBits = 6;
const runLength = 2 ** runBits;
const allBits = 20;
/** A tile of 12,000 x 9,000 in three components has 106,000. */
const few = 131_072;

/** Places are multiples of 16. */
const isPromise = (place: number): boolean => place >= 0 && (place & 1) === 1;
const isKept = (place: number): boolean => place >= 0 && (place & 1) === 0;

interface BlockRun {
  /** The place of each block, plus 1 while it is being decoded; or `unknown`, or `nothing`. */
  readonly places: Int32Array;
  /** Number of zero bit planes of each. */
  readonly missing: Uint8Array;
  /** Number of cached ones. */
  kept: number;
}

/**
 * What is known of the blocks of a tile without reading its packets: their places in the cache, and
 * which are empty.
 */
export class KeptBlocks {
  readonly #runs = new Map<number, BlockRun>();
  /** Number of these without any cached block. */
  #bare = 0;
  /** The only run, once it exists. */
  #all: BlockRun | undefined;
  readonly #bits: number;
  readonly #length: number;

  /** Of a tile of so many blocks. */
  constructor(blocks: number) {
    const areFew = blocks <= few;
    this.#bits = areFew ? allBits : runBits;
    this.#length = areFew ? blocks : runLength;
  }

  /** Approximate memory. */
  get bytes(): number {
    return this.#runs.size * (ownBytes + this.#length * bytesPerBlock);
  }

  /** The place of a block that is being decoded; `unknown` where it is not. */
  promisedPlaceOf(number: number): number {
    const place = this.#valueOf(number);
    return isPromise(place) ? place - 1 : unknown;
  }

  /** Records the place of a block that is being decoded. */
  promise(number: number, at: number): void {
    this.#put(number, at + 1);
  }

  /** Withdraws a promised place, if it is still the same. */
  unpromise(number: number, at: number): void {
    const places = this.#runAt(number)?.places;
    const place = this.#placeIn(number);
    if (places?.[place] === at + 1) places[place] = unknown;
  }

  /** The place of a cached block, or `unknown`, or `nothing`. */
  placeOf(number: number): number {
    const place = this.#valueOf(number);
    return isPromise(place) ? unknown : place;
  }

  #valueOf(number: number): number {
    return this.#runAt(number)?.places[this.#placeIn(number)] ?? unknown;
  }

  /** Number of zero bit planes of a cached block. */
  missingOf(number: number): number {
    return this.#runAt(number)?.missing[this.#placeIn(number)] ?? 0;
  }

  /** Records the place of a block. */
  keep(number: number, at: number, missing: number): void {
    const run = this.#put(number, at);
    run.missing[this.#placeIn(number)] = missing;
  }

  #put(number: number, value: number): BlockRun {
    const run = this.#runOf(number);
    const place = this.#placeIn(number);
    const before = isKept(run.places[place] ?? unknown);
    const after = isKept(value);
    if (after && !before && run.kept++ === 0) this.#bare--;
    if (before && !after && --run.kept === 0) this.#bare++;
    run.places[place] = value;
    return run;
  }

  /** Records that a block is empty. */
  leaveOut(number: number): void {
    if (this.#valueOf(number) === unknown)
      this.#runOf(number).places[this.#placeIn(number)] = nothing;
  }

  /** Records that a block was evicted, if its place is still the same. */
  forget(number: number, at: number): void {
    const run = this.#runAt(number);
    const place = this.#placeIn(number);
    if (run === undefined || run.places[place] !== at) return;
    run.places[place] = unknown;
    if (--run.kept > 0) return;
    if (run === this.#all || run.places.includes(nothing)) this.#bare++;
    else this.#runs.delete(number >> this.#bits);
  }

  #runAt(number: number): BlockRun | undefined {
    return this.#all ?? this.#runs.get(number >> this.#bits);
  }

  /** Its index in its run. */
  #placeIn(number: number): number {
    return number & ((1 << this.#bits) - 1);
  }

  #runOf(number: number): BlockRun {
    const before = this.#runAt(number);
    if (before !== undefined) return before;
    if (this.#bare >= maxBare) this.#strip();
    const run: BlockRun = {
      places: new Int32Array(this.#length).fill(unknown),
      missing: new Uint8Array(this.#length),
      kept: 0,
    };
    this.#runs.set(number >> this.#bits, run);
    if (this.#bits === allBits) this.#all = run;
    this.#bare++;
    return run;
  }

  /** Drops what is quickly found again: which blocks are empty. */
  #strip(): void {
    for (const [key, { kept }] of this.#runs) if (kept === 0) this.#runs.delete(key);
    this.#bare = 0;
  }
}

/** Overhead of a run: its objects and its entry. */
const ownBytes = 320;
const bytesPerBlock = 5;
/** Maximum number of runs without any cached block: 1.25 MiB. */
const maxBare = 2_048;
