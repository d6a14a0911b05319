import type { Attempt } from "./administration.ts";

/** So many wrong attempts are free; after each further one the address is held for longer, up to a bound. */
const free = 5;
const firstHoldMs = 1_000;
const longestHoldMs = 30_000;
/** After so long without a wrong attempt all is forgotten. */
const forgottenMs = 600_000;
/** Of how many addresses wrong attempts are remembered. */
const mostAddresses = 10_000;

interface Guessing {
  readonly wrong: number;
  readonly at: number;
  readonly heldUntil: number;
}

/**
 * Slows the guessing of passwords down: who was wrong too often is held for a while, during which no
 * attempt from the address counts, right or wrong. Nobody is held for longer than half a minute
 * by what others did, and who gets in is free again.
 */
export class Guesses {
  readonly #now: () => number;
  /** In the order of the last wrong attempt. */
  readonly #known = new Map<string, Guessing>();

  /** `now` is a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes note of an attempt; the seconds for which none counts, this one included, or 0 where it does. */
  admit({ address, right }: Attempt): number {
    const now = this.#now();
    const key = networkOf(address);
    const known = this.#known.get(key);
    const before = known && now - known.at < forgottenMs ? known : undefined;
    if (before && before.heldUntil > now) return Math.ceil((before.heldUntil - now) / 1_000);
    this.#known.delete(key);
    if (right) return 0;
    const wrong = (before?.wrong ?? 0) + 1;
    const holdMs =
      wrong < free ? 0 : Math.min(firstHoldMs * 2 ** Math.min(wrong - free, 20), longestHoldMs);
    this.#known.set(key, { wrong, at: now, heldUntil: now + holdMs });
    if (this.#known.size > mostAddresses) this.#dropOldest();
    return 0;
  }

  #dropOldest(): void {
    const { value } = this.#known.keys().next();
    if (value !== undefined) this.#known.delete(value);
  }
}

/** Whoever has one address of IPv6 has all of its network of 64 bits. */
const networkOf = (address: string): string => {
  if (!address.includes(":")) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...new Array<string>(zeros).fill("0"), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
};
