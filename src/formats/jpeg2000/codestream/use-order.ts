/** The numbers below `count` in order of use: a linked ring in preallocated memory. */
export class UseOrder {
  /** The number used next after each; `count` follows the latest and precedes the oldest. */
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #count: number;

  constructor(count: number) {
    this.#next = new Int32Array(count + 1).fill(absent);
    this.#previous = new Int32Array(count + 1).fill(absent);
    this.#count = count;
    this.#next[count] = count;
    this.#previous[count] = count;
  }

  /** The least recently used number; -1 where there is none. */
  get oldest(): number {
    return this.after(this.#count);
  }

  /** The number used next after a present one; -1 after the latest. */
  after(number: number): number {
    const next = this.#next[number] ?? absent;
    return next === this.#count ? absent : next;
  }

  /** Makes a number the latest, whether it is present or not. */
  touch(number: number): void {
    this.remove(number);
    const latest = this.#previous[this.#count] ?? this.#count;
    this.#next[latest] = number;
    this.#previous[number] = latest;
    this.#next[number] = this.#count;
    this.#previous[this.#count] = number;
  }

  remove(number: number): void {
    const [previous, next] = [this.#previous[number] ?? absent, this.#next[number] ?? absent];
    if (next === absent) return;
    this.#next[previous] = next;
    this.#previous[next] = previous;
    this.#next[number] = absent;
    this.#previous[number] = absent;
  }
}

const absent = -1;
