import type { Definition } from "../config/keys.ts";
import type { Lock } from "../config/locks.ts";
import type { ProblemOrigin } from "../config/problems.ts";

/** The running configuration and remarks on it. */
export interface ConfigurationReport {
  readonly groups: readonly ConfigurationGroup[];
  /** The files it was read from, the main one first; empty without a file. */
  readonly files: readonly string[];
  /** Keys whose new values need a restart. */
  readonly pending: readonly string[];
  /** Keys whose new values are not in the file yet. */
  readonly unwritten: readonly string[];
  /** Faults of the files, in sentences; secrets masked. */
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

/** A key, its definition and current value. */
export interface ConfigurationEntry {
  readonly key: string;
  readonly definition: Definition;
  /** Its valid values, in words, as in `an integer from 1 to 100`. */
  readonly expects: string;
  /** The running value as in a file; secrets and credentials in URLs are masked. */
  readonly value: string;
  /** The value after a restart, where that differs. */
  readonly waiting?: string;
  /** The default as in a file. */
  readonly default: string;
  readonly origin: ProblemOrigin;
  /** The environment variable that overrides the file. */
  readonly variable: string;
  /** Whether it is a secret, so that `value` only shows whether there is one. */
  readonly secret: boolean;
  /**
   * Why it can be changed only in the file and the environment; absent where it can be changed
   * here.
   */
  readonly lock?: Lock;
}

/** Keys to change, as received: text, number, boolean, a list of these, or null for the default. */
export type Changes = Readonly<Record<string, unknown>>;

/** The result of applied changes. */
export interface AppliedChanges {
  /** Keys whose values changed. */
  readonly changed: readonly string[];
  /** Those whose new values need a restart. */
  readonly pending: readonly string[];
  /**
   * Those that the environment sets: the file gets the new value, the server keeps the variable's.
   */
  readonly overridden: readonly string[];
  /** Current remarks on the configuration, in sentences; secrets masked. */
  readonly warnings: readonly string[];
  /**
   * Whether the file has them; without a file, or with a read-only one, they last as long as the
   * server.
   */
  readonly written: boolean;
}

/**
 * Changes were applied, all of them, or none for the given reasons, each a sentence about one key.
 */
export type ChangeOutcome =
  | ({ readonly ok: true } & AppliedChanges)
  | { readonly ok: false; readonly problems: readonly ChangeProblem[] };

export interface ChangeProblem {
  readonly key?: string;
  readonly message: string;
  /** Set where the key can be changed only in the file and the environment. */
  readonly fileOnly?: true;
}
