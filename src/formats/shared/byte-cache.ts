/**
 * Things that were made once, the least recently used let go first when they take too many bytes.
 */
export class ByteCache<K, V> {
  readonly #max: number;
  readonly #entries = new Map<K, { readonly value: V; readonly bytes: number }>();
  readonly #tally = { hits: 0, misses: 0 };
  #bytes = 0;
  #newest: K | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** How often what was asked for was there, and how often not, since the start. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  /** What all entries take together. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#tally.misses++;
      return undefined;
    }
    this.#tally.hits++;
    if (key === this.#newest) return entry.value;
    // The map's order is the order of use.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#newest = key;
    return entry.value;
  }

  /** Whether a value of so many bytes is kept; one that would push out most others is not. */
  takes(bytes: number): boolean {
    return bytes <= this.#max / 4;
  }

  /** Keeps a value that takes so many bytes, if it is taken at all. */
  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (!this.takes(bytes)) return;
    this.#entries.set(key, { value, bytes });
    this.#newest = key;
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#max) return;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#newest = undefined;
    this.#bytes = 0;
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    if (key === this.#newest) this.#newest = undefined;
    this.#bytes -= entry.bytes;
  }
}
