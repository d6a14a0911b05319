import type { Keys } from "../config/keys.ts";
import type { FormatFacts, FormatName } from "../core/formats.ts";
import { formats } from "./formats.ts";
import type { Format } from "./record/index.ts";
import { threadKeys } from "./shared/index.ts";

/** All formats, in the order in which signatures are compared and lists are shown. */
export const registry: readonly Format[] = formats;

/** The keys of all decoders, and those that they share. */
export const formatKeys: Keys = Object.assign(
  {},
  threadKeys,
  ...registry.map(({ keys }) => keys ?? {}),
);

const byName = new Map(registry.map((format) => [format.name, format]));

/** The record of a format; undefined where there is none of that name. */
export const formatNamed = (name: FormatName): Format | undefined => byName.get(name);

/** The facts of a format; throws where there is none of that name. */
export const factsOf = (name: FormatName): FormatFacts => {
  const format = byName.get(name);
  if (format === undefined) throw new Error(`There is no format '${name}'.`);
  return format.facts;
};

/** The format that a file extension (no dot, any case) belongs to, if any. */
export const formatOfExtension = (extension: string): FormatName | undefined => {
  const wanted = extension.toLowerCase();
  return registry.find(({ facts }) => facts.extensions.includes(wanted))?.name;
};
