/** What is known of a block: where it is kept, a multiple of 16, or one of these. */
export const unknown = -1;
/** Nothing is stored of it: it is all zero. */
export const nothing = -2;

/** Numbers that follow one another, which are looked up and let go together. */
const runBits = 6;
const runLength = 2 ** runBits;

interface Run {
  /** Where each block is kept, or `unknown`, or `nothing`. */
  readonly places: Int32Array;
  /** Bit planes of each that are all zero. */
  readonly missing: Uint8Array;
  /** How many of them are kept. */
  kept: number;
}

/** What is known of the blocks of a tile without a look at its packets: where they are kept, and which have nothing in them. */
export class KeptBlocks {
  readonly #runs = new Map<number, Run>();
  /** Where blocks will be kept that are being decoded. */
  readonly #promised = new Map<number, number>();
  /** Of these, how many have no block that is kept. */
  #bare = 0;

  /** About what it takes in memory. */
  get bytes(): number {
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
    return this.#runs.get(number >> runBits)?.places[number & (runLength - 1)] ?? unknown;
  }

  /** Bit planes that are all zero of a block that is kept. */
  missingOf(number: number): number {
    return this.#runs.get(number >> runBits)?.missing[number & (runLength - 1)] ?? 0;
  }

  /** Notes where a block is kept. */
  keep(number: number, at: number, missing: number): void {
    const run = this.#runOf(number);
    const place = number & (runLength - 1);
    if ((run.places[place] ?? unknown) < 0 && run.kept++ === 0) this.#bare--;
    run.places[place] = at;
    run.missing[place] = missing;
  }

  /** Notes that nothing is stored of a block. */
  leaveOut(number: number): void {
    if (this.placeOf(number) === unknown)
      this.#runOf(number).places[number & (runLength - 1)] = nothing;
  }

  /** Notes that a block is not kept any more, if it is there that it was. */
  forget(number: number, at: number): void {
    const key = number >> runBits;
    const run = this.#runs.get(key);
    const place = number & (runLength - 1);
    if (run === undefined || run.places[place] !== at) return;
    run.places[place] = unknown;
    if (--run.kept > 0) return;
    if (run.places.includes(nothing)) this.#bare++;
    else this.#runs.delete(key);
  }

  #runOf(number: number): Run {
    const key = number >> runBits;
    const before = this.#runs.get(key);
    if (before !== undefined) return before;
    if (this.#bare >= mostBare) this.#strip();
    const run: Run = {
      places: new Int32Array(runLength).fill(unknown),
      missing: new Uint8Array(runLength),
      kept: 0,
    };
    this.#runs.set(key, run);
    this.#bare++;
    return run;
  }

  /** Lets go of what is soon found again: that blocks have nothing in them. */
  #strip(): void {
    for (const [key, { kept }] of this.#runs) if (kept === 0) this.#runs.delete(key);
    this.#bare = 0;
  }
}

/** With its objects and its entry. */
const runBytes = 640;
const promiseBytes = 64;
/** Runs without any block that is kept: a mebibyte and a quarter. */
const mostBare = 2_048;
