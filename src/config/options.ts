import type { Logger } from "../core/log.ts";
import type { Chain } from "./chain.ts";
import type { Environment } from "./environment.ts";
import type { KeyGroup } from "./keys.ts";
import type { Snapshot } from "./store.ts";

/** Options of a configuration. */
export interface ConfigOptions {
  readonly groups: readonly KeyGroup[];
  readonly env: Environment;
  /** The main file; without one only `values`, the environment and changes at run time count. */
  readonly path?: string | undefined;
  /** Replacements for the defaults of some keys. */
  readonly values?: Snapshot | undefined;
  readonly log?: Logger | undefined;
  /** Milliseconds for which files must be unchanged before they are read again; 200. */
  readonly settleMs?: number;
  /** Milliseconds until changes at run time are written to the file; 2000. */
  readonly writeMs?: number;
  /**
   * The initial files as another process applied them; the current ones are read once that is done.
   */
  readonly accepted?: Chain | undefined;
  /**
   * Set where another process handles changes at run time and writes the files; this one adopts
   * them.
   */
  readonly follows?: boolean | undefined;
}
