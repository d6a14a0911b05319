import { basename } from "node:path";
import { explain } from "./cantaloupe.ts";
import { cantaloupeSample } from "./cantaloupe-sample.ts";
import { type Definition, defineKeys, type Follows } from "./keys.ts";
import { cantaloupeDefault } from "./parse.ts";

/** Whose defaults apply. */
export const compatibilityKeys = defineKeys({
  compatibility: {
    type: "choice",
    choices: ["auto", "cantaloupe", "none"],
    default: "auto",
    fileOnly: "trust",
    doc: "Whether the server behaves like Cantaloupe: keys that are not set have Cantaloupe's defaults, and an invalid value of one of Cantaloupe's keys is replaced by that default, with an error in the log, instead of keeping the server from starting. `cantaloupe`: always; `none`: never; `auto`: if a configuration file is called `cantaloupe….properties` or sets keys that only Cantaloupe uses, such as `processor.selection_strategy`. `vitrine config migrate` rewrites such a file for `none`, with everything spelled out.",
  },
});

/** A key among these that only Cantaloupe uses; undefined where there is none. */
export const keyOfCantaloupe = (keys: Iterable<string>): string | undefined => {
  for (const key of keys) {
    const reason = explain(key)?.reason;
    // Keys of future features will be Vitrine's own.
    if (reason !== undefined && reason !== "later") return key;
  }
  return undefined;
};

/** Whether a file is Cantaloupe's by its name. */
export const isNamedForCantaloupe = (path: string): boolean =>
  /^cantaloupe.*\.properties$/i.test(basename(path));

/**
 * The value of an unset key where Cantaloupe's defaults apply. `settled` gives the values of other
 * keys, which some defaults follow.
 */
export const cantaloupeValue = (
  definition: Definition,
  settled: (key: string) => unknown,
): unknown => {
  const value = cantaloupeDefault(definition);
  if (!isFollowing(value)) return value === undefined ? definition.default : value;
  return (settled(value.key) === true) !== (value.opposite ?? false);
};

/** Whether a key's default is another key's value. */
export const isFollowing = (value: unknown): value is Follows =>
  typeof value === "object" && value !== null && "key" in value;

/**
 * Whether an invalid text for a key is replaced by the default where Cantaloupe's defaults apply.
 * Not for keys that Cantaloupe does not have, nor for values that only Cantaloupe understands:
 * names of classes, and of features that Vitrine lacks. Nor for a value that may be meant to enable
 * a script or an overlay that protects images.
 */
export const fallsBackToDefault = (
  key: string,
  { type, fileOnly, refused = [] }: Definition,
  text: string,
): boolean =>
  cantaloupes.has(key) &&
  fileOnly !== "program" &&
  !key.startsWith("overlays.") &&
  !refused.includes(text) &&
  !(type === "choice" && refused.length > 0 && text.includes("."));

const cantaloupes: ReadonlySet<string> = new Set(cantaloupeSample);
