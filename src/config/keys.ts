import type { ShareName } from "../core/shares.ts";
import type { FileOnly } from "./file-only.ts";

interface Common {
  /** One or two sentences; used in the docs, the sample file's comment and the panel's help. */
  readonly doc: string;
  /** Set when a change needs a restart. */
  readonly restart?: true;
  /**
   * Set where the key can be changed only in the file and the environment, with the reason: keys
   * that name programs, scripts, paths, listeners, other services or credentials, and those that
   * disable masking.
   */
  readonly fileOnly?: FileOnly;
  /**
   * Values that Cantaloupe understands and Vitrine does not. They are rejected even where
   * Cantaloupe's defaults apply, although any other invalid value is replaced by the default there.
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
 * One configuration key: its type, default, bounds and explanation. `cantaloupe` is the value of an
 * unset or empty key where Cantaloupe's defaults apply (`compatibility`); the default where absent.
 */
export type Definition =
  | (Common & {
      readonly type: "boolean";
      readonly default: boolean;
      readonly cantaloupe?: boolean | Follows;
    })
  | (Common & {
      readonly type: NumberType;
      /** `null`: unset by default. */
      readonly default: number | null;
      /** Set where an empty value means unset, whatever the default. */
      readonly blank?: null;
      readonly cantaloupe?: number | null;
      /** The share of the server's memory used where the key is unset; the default is `null`. */
      readonly share?: ShareName;
      readonly min?: number;
      readonly max?: number;
    })
  | (Common & {
      readonly type: StringType;
      readonly default: string;
      /** Set where an empty value means none, whatever the default. */
      readonly blank?: "";
      readonly cantaloupe?: string;
    })
  | (Common & {
      readonly type: "choice";
      readonly choices: readonly string[];
      readonly default: string;
      /** The choice that an empty value means; the default where absent. */
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

/** A group of keys, owned and read by one module. */
export type Keys = Readonly<Record<string, Definition>>;

/** Keys that belong together, under a common heading in the sample file and the docs. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: Keys;
  readonly numbered?: NumberedKeys;
  /** Finds faults in combinations of values; a fault makes the configuration invalid. */
  readonly faults?: (written: WrittenConfiguration) => readonly Fault[];
}

/** A configuration for reading. */
export interface WrittenConfiguration {
  /** By key; missing ones have their defaults. */
  readonly values: Readonly<Record<string, unknown>>;
  /** All names set by files and changes at run time, and the environment's own variables. */
  readonly names: readonly string[];
  readonly variables: readonly string[];
}

/** A fault of a key: a whole sentence that begins with it. */
export interface Fault {
  readonly key: string;
  readonly message: string;
}

/**
 * Keys that may be set any number of times, each with another number, as in
 * `source.rules.1.pattern`.
 */
export interface NumberedKeys {
  /** The text before the number, as in `source.rules.`. */
  readonly prefix: string;
  /** What may follow the number and a dot, as in `pattern`. */
  readonly keys: Keys;
  /** Keys that may follow too, overriding the key itself: unset or empty ones fall back to it. */
  readonly instead: Keys;
}

/** The values of a group of keys. */
export type Settings<K extends Keys> = { readonly [P in keyof K]: KeyValue<K[P]> };

/** Declares the keys of a module: names, types, defaults and docs, once. */
export const defineKeys = <const K extends Keys>(keys: K): K => keys;
