import type { ShareName } from "../core/shares.ts";
import type { FileOnly } from "./file-only.ts";

interface Common {
  /** One or two sentences; becomes the docs, the sample file's comment and the panel's help. */
  readonly doc: string;
  /** Set when a change only takes effect after a restart. */
  readonly restart?: true;
  /**
   * Set where the key can be changed in the file and the environment only, with the reason: keys
   * that name programs, scripts, paths, listeners, other services or logins, and those that switch
   * masking off.
   */
  readonly fileOnly?: FileOnly;
  /**
   * Values that Cantaloupe understands and Vitrine does not. They are refused even where
   * Cantaloupe's defaults hold, although any other bad value gives way to the default there.
   */
  readonly refused?: readonly string[];
}

/** The value of another boolean key, or its opposite. */
export interface Follows {
  readonly key: string;
  readonly opposite?: true;
}

type NumberType = "integer" | "number" | "bytes" | "seconds";
type StringType = "string" | "path" | "secret" | "color";

/**
 * One configuration key: its type, default, bounds and explanation. `cantaloupe` is the value of a
 * key that is not set, or blank, where Cantaloupe's defaults hold (`compatibility`); the default
 * where it is left out.
 */
export type Definition =
  | (Common & {
      readonly type: "boolean";
      readonly default: boolean;
      readonly cantaloupe?: boolean | Follows;
    })
  | (Common & {
      readonly type: NumberType;
      /** `null`: nothing is set until someone sets it. */
      readonly default: number | null;
      /**
       * Set where a key that is there but blank means that nothing is set, whatever the default.
       */
      readonly blank?: null;
      readonly cantaloupe?: number | null;
      /**
       * The share of the server's memory that holds where nothing is set; the default is `null`.
       */
      readonly share?: ShareName;
      readonly min?: number;
      readonly max?: number;
    })
  | (Common & {
      readonly type: StringType;
      readonly default: string;
      /** Set where a key that is there but blank means none, whatever the default. */
      readonly blank?: "";
      readonly cantaloupe?: string;
    })
  | (Common & {
      readonly type: "choice";
      readonly choices: readonly string[];
      readonly default: string;
      /**
       * The choice a key stands for that is there but blank; the default where this is left out.
       */
      readonly blank?: string;
      readonly cantaloupe?: string;
    })
  | (Common & {
      readonly type: "list";
      readonly default: readonly string[];
      readonly cantaloupe?: readonly string[];
    });

/** The type of a key's value. */
type KeyValue<D extends Definition> = D extends {
  type: "choice";
  choices: infer C extends readonly string[];
}
  ? C[number]
  : D extends { type: "boolean" }
    ? boolean
    : D extends { type: NumberType; blank: null }
      ? number | null
      : D extends { type: NumberType; default: number } | { type: NumberType; share: ShareName }
        ? number
        : D extends { type: NumberType }
          ? number | null
          : D extends { type: "list" }
            ? readonly string[]
            : string;

/** A group of keys, as one module owns and reads them. */
export type Keys = Readonly<Record<string, Definition>>;

/** Keys that belong together, under the heading they have in the sample file and the docs. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: Keys;
  readonly numbered?: NumberedKeys;
  /**
   * Finds what is wrong with values that may each be right; one that is found refuses the
   * configuration.
   */
  readonly faults?: (written: WrittenConfiguration) => readonly Fault[];
}

/** A configuration as far as it can be read. */
export interface WrittenConfiguration {
  /** By key; what is not in it has its default. */
  readonly values: Readonly<Record<string, unknown>>;
  /** All names that files and changes at run time set, and the environment's own variables. */
  readonly names: readonly string[];
  readonly variables: readonly string[];
}

/** What is wrong with a key: a whole sentence that begins with it. */
export interface Fault {
  readonly key: string;
  readonly message: string;
}

/**
 * Keys that may be set any number of times, each time behind another number, as in
 * `source.rules.1.pattern`.
 */
export interface NumberedKeys {
  /** What stands before the number, as in `source.rules.`. */
  readonly prefix: string;
  /** What may stand behind the number and a dot, as in `pattern`. */
  readonly keys: Keys;
  /**
   * Keys that may stand there too, in place of the key itself: where they do not, or are blank,
   * that one holds.
   */
  readonly instead: Keys;
}

/** The values of a group of keys. */
export type Settings<K extends Keys> = { readonly [P in keyof K]: KeyValue<K[P]> };

/** Declares the keys a module owns: names, types, defaults and docs, once. */
export const defineKeys = <const K extends Keys>(keys: K): K => keys;
