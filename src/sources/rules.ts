import type { Keys, NumberedKeys, Settings } from "../config/keys.ts";
import { numberOf } from "../config/numbered.ts";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { sourceNames, sources } from "./index.ts";
import { type Match, type Pattern, readPattern, readTemplate } from "./pattern.ts";

/** The keys after the number of a rule. */
const ruleKeys = {
  pattern: {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "A rule for images that are stored elsewhere than in `source.static`: it applies to identifiers that match this regular expression (RE2), such as `^maps/` for those that begin with it. Instead of 1, rules have any number up to 999; the lowest that matches applies.",
    restart: true,
  },
  source: {
    type: "choice",
    choices: ["", ...sourceNames],
    default: "",
    fileOnly: "path",
    doc: "The source of the rule's images. Any key of that source may follow `source.rules.1.` as well, and applies to this rule instead of the key itself: `source.rules.1.S3Source.BasicLookupStrategy.bucket.name`.",
    restart: true,
  },
  identifier: {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "What the rule's source is asked for, if not the identifier: `$1` stands for the first group of the pattern, `$<name>` for the group `(?P<name>…)`, `$$` for a dollar sign.",
    restart: true,
  },
} as const satisfies Keys;

const prefix = "source.rules.";

/** The keys of rules. */
export const numberedRules: NumberedKeys = {
  prefix,
  keys: ruleKeys,
  instead: Object.assign({}, ...Object.values(sources).map(({ keys }) => keys)),
};

/** A rule as configured. */
export interface Rule {
  /** As in `source.rules.1`. */
  readonly name: string;
  /** As in `S3Source`. */
  readonly kind: (typeof sourceNames)[number];
  readonly pattern: Pattern;
  /** What the source is asked for, built from the match; absent: the identifier. */
  readonly rewrite?: (match: Match) => string;
}

/** A faulty rule: a whole sentence that begins with the key. */
export class RuleFault extends ServerError {
  constructor(message: string) {
    super("malformed", message);
    this.name = "RuleFault";
  }
}

/** The numbers of all rules with any key, in order. */
export const ruleNumbers = (config: Config): readonly number[] => {
  const numbers = Object.entries(config.current).flatMap(([key, value]) => {
    const found = value === null ? undefined : numberOf(prefix, key);
    return found === undefined ? [] : [found.number];
  });
  return [...new Set(numbers)].sort((one, other) => one - other);
};

/** Parses a rule; throws `RuleFault` where it is invalid. */
export const readRule = (config: Config, number: number): Rule => {
  const name = `${prefix}${number}`;
  const { pattern: text, source: kind, identifier } = settingsUnder(config, name, ruleKeys)();
  if (text === "")
    throw new RuleFault(`${name}.pattern: expected a regular expression, got nothing.`);
  if (kind === "")
    throw new RuleFault(`${name}.source: expected one of ${sourceNames.join(", ")}, got nothing.`);
  const pattern = told(`${name}.pattern`, () => readPattern(text));
  return {
    name,
    kind,
    pattern,
    ...(identifier === ""
      ? {}
      : { rewrite: told(`${name}.identifier`, () => readTemplate(identifier, pattern.groups)) }),
  };
};

const told = <T>(key: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    throw new RuleFault(`${key}: ${error.message}.`);
  }
};

/** The settings of keys under a prefix: those with the prefix, and else the keys' own. */
export const settingsUnder = <const K extends Keys>(
  config: Config,
  name: string,
  keys: K,
): (() => Settings<K>) => {
  const own = config.view(keys);
  let seen: unknown;
  let settings: Settings<K>;
  return () => {
    const current = config.current;
    if (seen !== current) {
      seen = current;
      const entries = Object.entries(own()).map(([key, value]) => {
        const under = current[`${name}.${key}`];
        return [key, under === undefined || under === null ? value : under];
      });
      settings = Object.fromEntries(entries) as Settings<K>;
    }
    return settings;
  };
};
