import type { SlowSource } from "./figures.ts";

/**
 * Maximum number of remembered images, milliseconds from which a source is slow, and for how long
 * that counts.
 */
const max = 20;
const slowMs = 50;
const lateMs = 600_000;

/** Remembers images whose files were recently slow to find and read. */
export class SlowSources {
  readonly #now: () => number;
  readonly #known = new Map<string, SlowSource>();

  /** `now` is milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Records how many milliseconds a request spent on finding and reading the file. */
  note(identifier: string, ms: number): void {
    if (ms < slowMs) return;
    const before = this.#known.get(identifier);
    const count = (before?.count ?? 0) + 1;
    this.#known.set(identifier, {
      identifier,
      ms: Math.max(ms, before?.ms ?? 0),
      count,
      at: this.#now(),
    });
    if (this.#known.size > max) this.#drop();
  }

  /** Slowest first. */
  get slowest(): readonly SlowSource[] {
    return slowestOf([...this.#known.values()], this.#now());
  }

  /** Removes old entries, and the least slow ones. */
  #drop(): void {
    const kept = new Set(this.slowest.map(({ identifier }) => identifier));
    for (const identifier of this.#known.keys())
      if (!kept.has(identifier)) this.#known.delete(identifier);
  }
}

/** The slowest of some sources, without old ones; those with the same name are added up. */
export const slowestOf = (sources: readonly SlowSource[], now: number): readonly SlowSource[] => {
  const known = new Map<string, SlowSource>();
  for (const source of sources) {
    if (now - source.at > lateMs) continue;
    const before = known.get(source.identifier);
    known.set(source.identifier, {
      identifier: source.identifier,
      ms: Math.max(source.ms, before?.ms ?? 0),
      count: source.count + (before?.count ?? 0),
      at: Math.max(source.at, before?.at ?? 0),
    });
  }
  return [...known.values()].sort((one, other) => other.ms - one.ms).slice(0, max);
};
