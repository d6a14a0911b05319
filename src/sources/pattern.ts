import { RE2JS, RE2JSException } from "re2js";
import { ServerError } from "../core/errors.ts";

/** A match of a pattern in an identifier. */
export interface Match {
  /** The match of a group, by number or name; empty where it did not take part. */
  group(name: number | string): string;
}

/** A regular expression in RE2 syntax: its time is linear in the length of the text. */
export interface Pattern {
  /** Searches a text; undefined without a match. */
  find(text: string): Match | undefined;
  /** The numbers and names of its groups; 0 is the whole match. */
  readonly groups: ReadonlySet<number | string>;
}

/** Maximum length of a pattern in characters, which the time depends on. */
const longest = 1_000;

/** Compiles a pattern; throws `malformed` with what is wrong with it. */
export const readPattern = (text: string): Pattern => {
  if (text.length > longest)
    throw new ServerError(
      "malformed",
      `expected a pattern of at most ${longest} characters, got ${text.length}`,
    );
  const compiled = compile(text);
  const numbers = Array.from({ length: compiled.groupCount() + 1 }, (_, number) => number);
  return {
    groups: new Set<number | string>([...numbers, ...Object.keys(compiled.namedGroups())]),
    find(searched) {
      const matcher = compiled.matcher(searched);
      return matcher.find() ? { group: (name) => matcher.group(name) ?? "" } : undefined;
    },
  };
};

const compile = (text: string): RE2JS => {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ServerError(
      "malformed",
      `expected a regular expression that RE2 understands (no backreferences or lookaround): ${error.message}`,
    );
  }
};

/** References in a template: `$1`, `$<1>`, `$<name>`, and `$$` for a dollar sign. */
const references = /\$(?:\$|(\d{1,2})|<(\w+)>)/g;

/**
 * Compiles a template that builds a text from a match. Throws `malformed` where it refers to a
 * group that the pattern does not have, or has a dollar sign that refers to nothing.
 */
export const readTemplate = (template: string, groups: Pattern["groups"]) => {
  const rest = template.replace(references, (reference, number?: string, name?: string) => {
    const group = groupNamed(number ?? name);
    if (group !== undefined && !groups.has(group))
      throw new ServerError("malformed", `the pattern has no group ${reference}`);
    return "";
  });
  if (rest.includes("$"))
    throw new ServerError(
      "malformed",
      "expected a number, <name> or another $ after each dollar sign",
    );
  return (match: Match): string =>
    template.replace(references, (_, number?: string, name?: string) => {
      const group = groupNamed(number ?? name);
      return group === undefined ? "$" : match.group(group);
    });
};

const groupNamed = (name: string | undefined): number | string | undefined =>
  name !== undefined && /^\d+$/.test(name) ? Number(name) : name;
