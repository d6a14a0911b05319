import { LRUCache } from "lru-cache";

/** Results cached in memory, by the hash of the whole request. */
export class KeptAnswers {
  readonly #answers: LRUCache<string, CachedAnswer> | undefined;
  readonly #now: () => number;
  #generation = 0;

  /** Caches up to so many bytes; none with 0. `now` is in milliseconds. */
  constructor(maxBytes: number, now: () => number = () => performance.now()) {
    this.#now = now;
    if (maxBytes >= overhead)
      this.#answers = new LRUCache({
        maxSize: Math.floor(maxBytes),
        sizeCalculation: ({ text }) => overhead + 2 * text.length,
      });
  }

  /** Changes whenever the cache is cleared: results requested before must not be stored then. */
  get generation(): number {
    return this.#generation;
  }

  get(key: string): string | undefined {
    const kept = this.#answers?.get(key);
    if (kept === undefined) return undefined;
    if (this.#now() < kept.until) return kept.text;
    this.#answers?.delete(key);
    return undefined;
  }

  /** Stores a result requested at `since`, for so many seconds from then on. */
  keep(key: string, text: string, { since, seconds }: Lifetime): void {
    if (seconds > 0) this.#answers?.set(key, { text, until: since + seconds * 1_000 });
  }

  clear(): void {
    this.#generation++;
    this.#answers?.clear();
  }
}

interface CachedAnswer {
  readonly text: string;
  readonly until: number;
}

interface Lifetime {
  readonly since: number;
  readonly seconds: number;
}

/** Overhead of an entry besides its text, in bytes; it bounds their number. */
const overhead = 400;

/**
 * Seconds for which a result may be reused for everybody with the same request: by its
 * Cache-Control (RFC 9111, as a shared cache), less its age; 0 where that is absent or unclear.
 */
export const freshnessSeconds = (headers: Headers): number => {
  const directives = String(headers["cache-control"] ?? "")
    .toLowerCase()
    .split(",")
    .map((directive) => directive.trim());
  if (directives.some((one) => /^(?:no-store|no-cache|private)(?:$|=)/.test(one))) return 0;
  const seconds = secondsIn(directives, "s-maxage") ?? secondsIn(directives, "max-age") ?? 0;
  const age = headers["age"] === undefined ? 0 : wholeNumber(String(headers["age"]).trim());
  const left = seconds - age;
  return Number.isNaN(left) ? 0 : Math.max(0, left);
};

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a directive; none where there are several, or it is invalid. */
const secondsIn = (directives: readonly string[], name: string): number | undefined => {
  const found = directives.filter((one) => one === name || one.startsWith(`${name}=`));
  if (found.length === 0) return undefined;
  const [only = ""] = found;
  return found.length > 1
    ? Number.NaN
    : wholeNumber(only.slice(name.length + 1).replace(/^"(.*)"$/, "$1"));
};

/** NaN where it is not a number: nothing is stored then. */
const wholeNumber = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
