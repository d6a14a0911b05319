import type { Keys, Settings } from "./keys.ts";

/** Parsed values by key; what is not in it has its default. */
export type Snapshot = Readonly<Record<string, unknown>>;

/** All settings as they stand; a change replaces the snapshot whole. */
export class Config {
  #snapshot: Snapshot;
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
          // A value may be null, which is not the same as none.
          Object.entries(keys).map(([name, key]) => [
            name,
            seen?.[name] === undefined ? key.default : seen[name],
          ]),
        ) as Settings<K>;
      }
      return settings;
    };
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
