import type { Definition } from "../config/keys.ts";
import type { Lock } from "../config/locks.ts";
import type { ProblemOrigin } from "../config/problems.ts";

/** The configuration as it runs, and what is to be said of it. */
export interface ConfigurationReport {
  readonly groups: readonly ConfigurationGroup[];
  /** The files it was read from, the main one first; none where there is none. */
  readonly files: readonly string[];
  /** Keys whose new values wait for a restart. */
  readonly pending: readonly string[];
  /** Keys whose new values the file does not have yet. */
  readonly unwritten: readonly string[];
  /** What the files hold that is not as it should be, in sentences; secrets masked. */
  readonly problems: readonly {
    readonly severity: "error" | "warning" | "note";
    readonly message: string;
    readonly key?: string;
  }[];
}

/** Keys that belong together. */
export interface ConfigurationGroup {
  readonly title: string;
  readonly entries: readonly ConfigurationEntry[];
}

/** A key, its definition and what it is at the moment. */
export interface ConfigurationEntry {
  readonly key: string;
  readonly definition: Definition;
  /** What values it takes, in words, as in `an integer from 1 to 100`. */
  readonly expects: string;
  /** The running value as a file would spell it; of secrets and in addresses, the mask. */
  readonly value: string;
  /** The value it will have after a restart, where that is another. */
  readonly waiting?: string;
  /** The default as a file would spell it. */
  readonly default: string;
  readonly origin: ProblemOrigin;
  /** The variable of the environment that outranks the file. */
  readonly variable: string;
  /** Whether it is a secret, so that `value` tells no more than whether there is one. */
  readonly secret: boolean;
  /**
   * What keeps it from being changed other than in the file and the environment; absent where
   * nothing does.
   */
  readonly lock?: Lock;
}

/**
 * Keys to change, as they come from outside: text, number, boolean, a list of these, or null for
 * the default.
 */
export type Changes = Readonly<Record<string, unknown>>;

/** What became of changes that were all taken. */
export interface Changed {
  /** Keys that have another value than before. */
  readonly changed: readonly string[];
  /** Those whose new value waits for a restart. */
  readonly pending: readonly string[];
  /**
   * Those that the environment sets: the file gets the new value, the server keeps the variable's.
   */
  readonly overridden: readonly string[];
  /** What is to be said of the configuration from now on, in sentences; secrets masked. */
  readonly warnings: readonly string[];
  /**
   * Whether the file has them; where there is none, or it cannot be written, they last as long as
   * the server.
   */
  readonly written: boolean;
}

/**
 * Changes were taken, all of them, or none for the reasons given, each a sentence about one key.
 */
export type ChangeOutcome =
  | ({ readonly ok: true } & Changed)
  | { readonly ok: false; readonly problems: readonly ChangeProblem[] };

export interface ChangeProblem {
  readonly key?: string;
  readonly message: string;
  /** Set where the key can be changed in the file and the environment only. */
  readonly fileOnly?: true;
}
