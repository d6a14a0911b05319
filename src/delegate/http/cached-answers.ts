import { LRUCache } from "lru-cache";

/** Answers in memory, under the hash of all that was sent for them. */
export class KeptAnswers {
  readonly #answers: LRUCache<string, CachedAnswer> | undefined;
  readonly #now: () => number;
  #generation = 0;

  /** Keeps so many bytes; none with 0. `now` is in milliseconds. */
  constructor(maxBytes: number, now: () => number = () => performance.now()) {
    this.#now = now;
    if (maxBytes >= overhead)
      this.#answers = new LRUCache({
        maxSize: Math.floor(maxBytes),
        sizeCalculation: ({ text }) => overhead + 2 * text.length,
      });
  }

  /**
   * Changes whenever all answers are let go of: what was asked for before must not be kept then.
   */
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

  /** Keeps an answer that was asked for at `since`, for so many seconds from then on. */
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

/** What an entry takes beside its text, in bytes; it bounds how many there are. */
const overhead = 400;

/**
 * For how many seconds an answer may be given again to everybody whose request was the same: as its
 * Cache-Control says (RFC 9111, as a shared cache), less its age; 0 where it does not, or not
 * clearly.
 */
export const secondsToKeep = (headers: Headers): number => {
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

/**
 * The value of a directive; nothing to go by where there are several, or one that cannot be read.
 */
const secondsIn = (directives: readonly string[], name: string): number | undefined => {
  const found = directives.filter((one) => one === name || one.startsWith(`${name}=`));
  if (found.length === 0) return undefined;
  const [only = ""] = found;
  return found.length > 1
    ? Number.NaN
    : wholeNumber(only.slice(name.length + 1).replace(/^"(.*)"$/, "$1"));
};

/** Not a number where it is none: nothing is kept then. */
const wholeNumber = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
