import { LRUCache } from "lru-cache";

/**
 * A least-recently-used cache of values that grow while they are used. The bound may change, so
 * entries are evicted here and not by lru-cache, whose bound is fixed.
 */
export class WeighedCache<K extends object | string, V extends { readonly bytes: number }> {
  readonly #max: () => number;
  readonly #entries = new LRUCache<K, V>({ maxSize: Number.MAX_SAFE_INTEGER });

  /** `max` returns the bound in bytes. */
  constructor(max: () => number) {
    this.#max = max;
  }

  /** The size of all values when they were last weighed. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    // Setting an existing value would keep its old size.
    this.#entries.delete(key);
    this.#entries.set(key, value, { size: Math.max(1, Math.ceil(value.bytes)) });
    while (this.#entries.calculatedSize > this.#max() && this.#entries.pop() !== undefined);
  }

  /** Weighs a value again; evicts others, and finally the value itself, if it is too large. */
  weigh(key: K): void {
    const value = this.#entries.peek(key);
    if (value === undefined) return;
    this.set(key, value);
  }

  clear(): void {
    this.#entries.clear();
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
