import { LRUCache } from "lru-cache";

/**
 * A least-recently-used cache bounded in bytes: lru-cache with hits counted and with no room for
 * a value that would push out most others.
 */
export class ByteCache<K extends object | string, V extends object | string | number> {
  readonly #entries: LRUCache<K, V> | undefined;
  readonly #largest: number;
  readonly #tally = { hits: 0, misses: 0 };

  /** `max` in bytes; with 0 nothing is cached. */
  constructor(max: number) {
    this.#largest = max / 4;
    const maxSize = Math.floor(max);
    this.#entries = maxSize > 0 ? new LRUCache({ maxSize }) : undefined;
  }

  /** How many lookups found a value, and how many did not, since the start. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  /** The size of all values together. */
  get bytes(): number {
    return this.#entries?.calculatedSize ?? 0;
  }

  get(key: K): V | undefined {
    const value = this.#entries?.get(key);
    if (value === undefined) this.#tally.misses++;
    else this.#tally.hits++;
    return value;
  }

  /** Whether a value of this many bytes is cached: at most a quarter of the cache. */
  takes(bytes: number): boolean {
    return bytes <= this.#largest;
  }

  /** Caches a value of this many bytes, unless it is too large. */
  set(key: K, value: V, bytes: number): void {
    if (!this.takes(bytes)) this.delete(key);
    else this.#entries?.set(key, value, { size: Math.max(1, Math.ceil(bytes)) });
  }

  clear(): void {
    this.#entries?.clear();
  }

  delete(key: K): void {
    this.#entries?.delete(key);
  }
}
