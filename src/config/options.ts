import type { Logger } from "../core/log.ts";
import type { Chain } from "./chain.ts";
import type { Environment } from "./environment.ts";
import type { KeyGroup } from "./keys.ts";
import type { Snapshot } from "./store.ts";

/** What a configuration is made of. */
export interface ConfigOptions {
  readonly groups: readonly KeyGroup[];
  readonly env: Environment;
  /** The main file; without one only `values`, the environment and changes at run time count. */
  readonly path?: string | undefined;
  /** Values in place of the defaults of some keys. */
  readonly values?: Snapshot | undefined;
  readonly log?: Logger | undefined;
  /** How long files must rest before they are read again, in milliseconds; 200. */
  readonly settleMs?: number;
  /**
   * How long changes at run time wait before they are written to the file, in milliseconds; 2000.
   */
  readonly writeMs?: number;
  /**
   * The files as another process took them over, to begin with; they are read once that is done.
   */
  readonly accepted?: Chain | undefined;
  /**
   * Set where another process takes changes at run time and writes the files; this one adopts them.
   */
  readonly follows?: boolean | undefined;
}
