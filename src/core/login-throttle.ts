/** The origin of a login attempt. */
interface LoginOrigin {
  /** The client's address. */
  readonly address: string;
  /** The address of the proxy that reported it; absent for direct connections. */
  readonly proxy?: string;
}

/** A login attempt. */
export interface Attempt extends LoginOrigin {
  /** Whether the credentials were valid. */
  readonly right: boolean;
}

/**
 * Wrong attempts without delay; after each further one the address is blocked for longer, up to a
 * bound.
 */
const free = 5;
const firstHoldMs = 1_000;
const longestHoldMs = 30_000;
/** Milliseconds without a wrong attempt after which all is forgotten. */
const forgottenMs = 600_000;
/** Maximum number of addresses whose wrong attempts are remembered. */
const maxAddresses = 10_000;
/**
 * Wrong attempts allowed through one proxy, whatever addresses it reports, and the milliseconds
 * after which one more is.
 */
const freeByProxy = 50;
const refillMs = 3_000;
const maxProxies = 1_000;
/** Maximum number of addresses remembered for successful logins. */
const maxProven = 1_000;

interface Guessing {
  readonly wrong: number;
  readonly at: number;
  readonly heldUntil: number;
}

/** The remaining allowance of a proxy. */
interface Allowance {
  readonly left: number;
  readonly at: number;
}

/**
 * Slows password guessing down. After several wrong attempts an address is blocked for a while,
 * during which all its attempts are ignored, valid or not.
 *
 * An address that a proxy reports may be forged, so it is never the only criterion. It counts
 * together with its proxy: forging addresses cannot lock out clients that connect directly or
 * through another proxy. And all wrong attempts through one proxy share one allowance: once that is
 * used up, attempts through it are ignored, except from addresses that logged in successfully
 * before.
 */
export class LoginThrottle {
  readonly #now: () => number;
  /** In the order of the last wrong attempt. */
  readonly #known = new Map<string, Guessing>();
  /** In the order of the last wrong attempt, by the proxy's address. */
  readonly #allowances = new Map<string, Allowance>();
  /** In the order of the last right attempt. */
  readonly #proven = new Set<string>();

  /** `now` is a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Seconds for which attempts from this origin are ignored; 0 where they count. */
  heldFor({ address, proxy }: LoginOrigin): number {
    const now = this.#now();
    const key = keyOf(address, proxy);
    const heldUntil = this.#recent(key, now)?.heldUntil ?? now;
    if (heldUntil > now) return Math.ceil((heldUntil - now) / 1_000);
    const left = this.#leftBy(proxy, now);
    return left < 1 && !this.#proven.has(key) ? Math.ceil(((1 - left) * refillMs) / 1_000) : 0;
  }

  /**
   * Records an attempt; returns the seconds for which attempts are ignored, including this one, or
   * 0 where it counts.
   */
  admit({ address, proxy, right }: Attempt): number {
    const held = this.heldFor({ address, ...(proxy === undefined ? {} : { proxy }) });
    if (held > 0) return held;
    const now = this.#now();
    const key = keyOf(address, proxy);
    const before = this.#recent(key, now);
    this.#known.delete(key);
    if (right) {
      this.#prove(key);
      return 0;
    }
    if (proxy !== undefined)
      this.#take(proxy, { left: Math.max(0, this.#leftBy(proxy, now) - 1), at: now });
    const wrong = (before?.wrong ?? 0) + 1;
    const holdMs =
      wrong < free ? 0 : Math.min(firstHoldMs * 2 ** Math.min(wrong - free, 20), longestHoldMs);
    this.#known.set(key, { wrong, at: now, heldUntil: now + holdMs });
    dropOldest(this.#known, maxAddresses);
    return 0;
  }

  #recent(key: string, now: number): Guessing | undefined {
    const known = this.#known.get(key);
    return known && now - known.at < forgottenMs ? known : undefined;
  }

  #leftBy(proxy: string | undefined, now: number): number {
    if (proxy === undefined) return freeByProxy;
    const allowance = this.#allowances.get(proxy);
    if (allowance === undefined) return freeByProxy;
    return Math.min(freeByProxy, allowance.left + (now - allowance.at) / refillMs);
  }

  #take(proxy: string, allowance: Allowance): void {
    this.#allowances.delete(proxy);
    this.#allowances.set(proxy, allowance);
    dropOldest(this.#allowances, maxProxies);
  }

  #prove(key: string): void {
    this.#proven.delete(key);
    this.#proven.add(key);
    dropOldest(this.#proven, maxProven);
  }
}

const dropOldest = (kept: Map<string, unknown> | Set<string>, max: number): void => {
  if (kept.size <= max) return;
  const { value } = kept.keys().next();
  if (value !== undefined) kept.delete(value);
};

const keyOf = (address: string, proxy: string | undefined): string => {
  const network = networkOf(address);
  return proxy === undefined ? network : `${network} by ${proxy}`;
};

/** Whoever has one IPv6 address has its whole /64 network. */
export const networkOf = (address: string): string => {
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
