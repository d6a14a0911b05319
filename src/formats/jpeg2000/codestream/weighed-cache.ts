/**
 * Values that are dear to make, the least recently used let go first once they take too many bytes.
 */
export class Kept<K, V extends { readonly bytes: number }> {
  readonly #max: () => number;
  readonly #entries = new Map<K, { readonly value: V; bytes: number }>();
  #bytes = 0;

  /** With room for so many bytes. */
  constructor(max: () => number) {
    this.#max = max;
  }

  /** What all values took when they were last weighed. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // The map's order is the order of use.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, { value, bytes: 0 });
    this.weigh(key);
  }

  /**
   * Weighs a value again, which grows as it is used; releases others, and in the end of itself,
   * where that is too much.
   */
  weigh(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { bytes } = entry.value;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    // A look at the first entry passes over all that were taken away before it.
    if (this.#bytes <= this.#max()) return;
    for (const oldest of this.#entries.keys()) {
      this.delete(oldest);
      if (this.#bytes <= this.#max()) return;
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  delete(key: K): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
