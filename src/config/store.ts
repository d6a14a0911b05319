import { type Shares, usualShares } from "../core/shares.ts";
import type { Definition, Keys, Settings } from "./keys.ts";

/** Parsed values by key; what is not in it has its default. */
export type Snapshot = Readonly<Record<string, unknown>>;

/** All settings as they stand; a change replaces the snapshot whole. */
export class Config {
  #snapshot: Snapshot;
  #shares: Shares | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(values: Snapshot = {}) {
    this.#snapshot = values;
  }

  /** Returns a function giving the current values of `keys`, rebuilt only after a change. */
  view<const K extends Keys>(keys: K): () => Settings<K> {
    let seen: Snapshot | undefined;
    let settings: Settings<K>;
    return () => {
      if (seen !== this.#snapshot) {
        seen = this.#snapshot;
        settings = Object.fromEntries(
          Object.entries(keys).map(([name, key]) => [name, this.#valueOf(key, seen?.[name])]),
        ) as Settings<K>;
      }
      return settings;
    };
  }

  #valueOf(key: Definition, value: unknown): unknown {
    // A value may be null, which is not the same as none.
    const settled = value === undefined ? key.default : value;
    const isShare = settled === null && "share" in key && key.share !== undefined;
    return isShare ? this.shares[key.share] : settled;
  }

  /** What parts of the server may hold in memory where their keys say nothing. */
  get shares(): Shares {
    return this.#shares ?? usualShares;
  }

  /** Whether the memory of this machine was divided. */
  get isShared(): boolean {
    return this.#shares !== undefined;
  }

  /** Says what parts of the server may hold in memory: once, before any of them looks. */
  share(shares: Shares): void {
    this.#shares = shares;
    this.#snapshot = { ...this.#snapshot };
  }

  /** All values as they stand: another object after every change. */
  get current(): Snapshot {
    return this.#snapshot;
  }

  /** Takes a whole new set of values and tells every listener. */
  replace(values: Snapshot): void {
    this.#snapshot = values;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change; the answer stops that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
