import { type Shares, usualShares } from "../core/shares.ts";
import type { Definition, Keys, Settings } from "./keys.ts";

/** Parsed values by key; missing ones have their defaults. */
export type Snapshot = Readonly<Record<string, unknown>>;

/** All current settings; a change replaces the whole snapshot. */
export class Config {
  #snapshot: Snapshot;
  #shares: Shares | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(values: Snapshot = {}) {
    this.#snapshot = values;
  }

  /** Returns a function that returns the current values of `keys`, rebuilt only after a change. */
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
    // A value may be null, which differs from absent.
    const settled = value === undefined ? key.default : value;
    const isShare = settled === null && "share" in key && key.share !== undefined;
    return isShare ? this.shares[key.share] : settled;
  }

  /** The memory shares of parts of the server whose keys are unset. */
  get shares(): Shares {
    return this.#shares ?? usualShares;
  }

  /** Whether this machine's memory was divided. */
  get isShared(): boolean {
    return this.#shares !== undefined;
  }

  /** Sets the memory shares: once, before any part reads them. */
  share(shares: Shares): void {
    this.#shares = shares;
    this.#snapshot = { ...this.#snapshot };
  }

  /** All current values: a new object after every change. */
  get current(): Snapshot {
    return this.#snapshot;
  }

  /** Replaces all values and notifies every listener. */
  replace(values: Snapshot): void {
    this.#snapshot = values;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change; the returned function stops that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
