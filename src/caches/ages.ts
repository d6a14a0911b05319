import type { Bounds } from "./store.ts";

const slots = 65_536;
const finestMs = 1_000;

/**
 * A histogram of entries by age in bounded memory: ages are resolved to a second, or to one part in
 * 32,768 of the oldest where that is more.
 */
export class Ages {
  readonly #now: number;
  #slotMs = finestMs;
  #bytes = new Float64Array(slots);
  #entries = new Float64Array(slots);

  constructor(now: Date) {
    this.#now = now.getTime();
  }

  /** Counts an entry. */
  note(usedAt: Date, bytes: number): void {
    while (this.#slotOf(usedAt) >= slots) this.#fold();
    const slot = this.#slotOf(usedAt);
    this.#bytes[slot] = (this.#bytes[slot] ?? 0) + bytes;
    this.#entries[slot] = (this.#entries[slot] ?? 0) + 1;
  }

  /**
   * Returns a function that selects which counted entries to remove to stay within the bounds,
   * least recently used first; undefined where none have to go.
   */
  beyond(bounds: Bounds): ((usedAt: Date, bytes: number) => boolean) | undefined {
    const max = { bytes: bounds.bytes || Infinity, entries: bounds.entries || Infinity };
    let [bytes, entries, slot] = [0, 0, 0];
    for (; slot < slots; slot++) {
      bytes += this.#bytes[slot] ?? 0;
      entries += this.#entries[slot] ?? 0;
      if (bytes > max.bytes || entries > max.entries) break;
    }
    if (slot === slots) return undefined;
    // Of entries of the same age only as many are removed as necessary.
    let surplus = { bytes: bytes - max.bytes, entries: entries - max.entries };
    return (usedAt, size) => {
      const at = this.#slotOf(usedAt);
      if (at !== slot) return at > slot;
      if (surplus.bytes <= 0 && surplus.entries <= 0) return false;
      surplus = { bytes: surplus.bytes - size, entries: surplus.entries - 1 };
      return true;
    };
  }

  #slotOf(usedAt: Date): number {
    return Math.max(0, Math.floor((this.#now - usedAt.getTime()) / this.#slotMs));
  }

  /** Halves the resolution of ages from now on. */
  #fold(): void {
    this.#slotMs *= 2;
    this.#bytes = folded(this.#bytes);
    this.#entries = folded(this.#entries);
  }
}

const folded = (counts: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
  const halves = new Float64Array(slots);
  for (let at = 0; at < slots; at += 2) halves[at / 2] = (counts[at] ?? 0) + (counts[at + 1] ?? 0);
  return halves;
};
