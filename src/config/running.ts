import type { Logger } from "../core/log.ts";
import type { Evaluated } from "./layers.ts";
import { Config, type Snapshot } from "./store.ts";

/**
 * The values the server runs with: those last evaluated, except where a key needs a restart to
 * change.
 */
export class RunningValues {
  /** For the parts of the server. */
  readonly config: Config;
  /** The values evaluated at the start: keys that need a restart keep these. */
  readonly #started: Evaluated;
  #evaluated: Evaluated;
  #snapshot: Snapshot;
  #pending: readonly string[] = [];

  constructor(evaluated: Evaluated) {
    this.#started = evaluated;
    this.#evaluated = evaluated;
    this.#snapshot = evaluated.values;
    this.config = new Config(evaluated.values);
  }

  /** The running value of every key. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Keys whose new values need a restart. */
  get pending(): readonly string[] {
    return this.#pending;
  }

  /** The latest evaluation: every value after a restart, and its origin. */
  get evaluated(): Evaluated {
    return this.#evaluated;
  }

  /** Applies values, except those that need a restart; returns which keys changed. */
  take(evaluated: Evaluated, log: Logger): readonly string[] {
    const values: Record<string, unknown> = { ...evaluated.values };
    const pending: string[] = [];
    const { values: started, definitions } = this.#started;
    // Numbered keys may have been added or removed since.
    for (const [key, { restart }] of new Map([...definitions, ...evaluated.definitions])) {
      if (restart !== true || same(values[key], started[key])) continue;
      pending.push(key);
      values[key] = started[key];
    }
    const changed = Object.keys(values).filter((key) => !same(values[key], this.#snapshot[key]));
    this.#evaluated = evaluated;
    this.#pending = pending;
    if (changed.length === 0) return changed;
    this.#snapshot = values;
    try {
      this.config.replace(values);
    } catch (cause) {
      log.error("A part of the server could not apply a configuration change.", {
        err: cause,
      });
    }
    return changed;
  }
}

const same = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
