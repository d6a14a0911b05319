/**
 * Numbers from 0 to before `count`, in the order in which they were used last: a ring, so that
 * nothing is made when they are.
 */
export class UseOrder {
  /** The number used next after each; behind the latest, and before the oldest, comes `count`. */
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

  /** The number that was not used for longest; -1 where there is none. */
  get oldest(): number {
    return this.after(this.#count);
  }

  /** The one that was used next after a number that is there; -1 after the latest. */
  after(number: number): number {
    const next = this.#next[number] ?? absent;
    return next === this.#count ? absent : next;
  }

  /** Makes a number the latest, whether it was there or not. */
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
