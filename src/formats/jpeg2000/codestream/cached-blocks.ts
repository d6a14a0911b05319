/** What is known of a block: where it is kept, a multiple of 16, or one of these. */
export const unknown = -1;
/** Nothing is stored of it: it is all zero. */
export const nothing = -2;

/**
 * Numbers that follow one another, which are looked up and let go together: so many, or all of a
 * tile that has few.
 */
const runBits = 6;
const runLength = 2 ** runBits;
const allBits = 20;
/** Of a tile of 12,000 x 9,000 in three components there are 106,000. */
const few = 131_072;

interface BlockRun {
  /** Where each block is kept, or `unknown`, or `nothing`. */
  readonly places: Int32Array;
  /** Bit planes of each that are all zero. */
  readonly missing: Uint8Array;
  /** How many of them are kept. */
  kept: number;
}

/**
 * What is known of the blocks of a tile without a look at its packets: where they are kept, and
 * which have nothing in them.
 */
export class KeptBlocks {
  readonly #runs = new Map<number, BlockRun>();
  /** Where blocks will be kept that are being decoded. */
  readonly #promised = new Map<number, number>();
  /** Of these, how many have no block that is kept. */
  #bare = 0;
  /** The only run there will be, once it is there. */
  #all: BlockRun | undefined;
  readonly #bits: number;
  readonly #length: number;

  /** Of a tile of so many blocks. */
  constructor(blocks: number) {
    const areFew = blocks <= few;
    this.#bits = areFew ? allBits : runBits;
    this.#length = areFew ? blocks : runLength;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    const runBytes = ownBytes + this.#length * bytesPerBlock;
    return this.#runs.size * runBytes + this.#promised.size * promiseBytes;
  }

  /** Where a block will be kept that is being decoded; `unknown` where nobody is about that. */
  promisedPlaceOf(number: number): number {
    return this.#promised.get(number) ?? unknown;
  }

  /** Notes where a block will be kept that is being decoded. */
  promise(number: number, at: number): void {
    this.#promised.set(number, at);
  }

  /** Takes back what was promised, if it is there that it was. */
  unpromise(number: number, at: number): void {
    if (this.#promised.get(number) === at) this.#promised.delete(number);
  }

  /** Where a block is kept, or `unknown`, or `nothing`. */
  placeOf(number: number): number {
    return this.#runAt(number)?.places[this.#placeIn(number)] ?? unknown;
  }

  /** Bit planes that are all zero of a block that is kept. */
  missingOf(number: number): number {
    return this.#runAt(number)?.missing[this.#placeIn(number)] ?? 0;
  }

  /** Notes where a block is kept. */
  keep(number: number, at: number, missing: number): void {
    const run = this.#runOf(number);
    const place = this.#placeIn(number);
    if ((run.places[place] ?? unknown) < 0 && run.kept++ === 0) this.#bare--;
    run.places[place] = at;
    run.missing[place] = missing;
  }

  /** Notes that nothing is stored of a block. */
  leaveOut(number: number): void {
    if (this.placeOf(number) === unknown)
      this.#runOf(number).places[this.#placeIn(number)] = nothing;
  }

  /** Notes that a block is not kept any more, if it is there that it was. */
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

  /** Its place among those that are looked up together. */
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

  /** Releases what is soon found again: that blocks have nothing in them. */
  #strip(): void {
    for (const [key, { kept }] of this.#runs) if (kept === 0) this.#runs.delete(key);
    this.#bare = 0;
  }
}

/** Of a run, its objects and its entry. */
const ownBytes = 320;
const bytesPerBlock = 5;
const promiseBytes = 64;
/** Runs without any block that is kept: a mebibyte and a quarter. */
const maxBare = 2_048;
