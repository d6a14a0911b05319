import { explain } from "./cantaloupe.ts";
import { type Chain, find } from "./chain.ts";
import { type Definitions, mismatch } from "./layers.ts";
import { expectation, parseValue } from "./parse.ts";
import type { Origin, Problem } from "./problems.ts";
import { asRead } from "./properties.ts";
import { unknownKey } from "./unused.ts";

/** What became of changes at run time. */
export interface Change {
  /** Why nothing was changed; empty when all was. */
  readonly problems: readonly Problem[];
  /** Keys whose new value waits for a restart. */
  readonly pending: readonly string[];
  /** Keys that the environment sets: the file gets the new value, the server keeps the variable's. */
  readonly overridden: readonly string[];
}

/** Changes as the texts that a file would hold, or everything that is wrong with them. */
export interface CheckedChanges {
  readonly problems: readonly Problem[];
  readonly texts: ReadonlyMap<string, string>;
}

/** What changes are checked against. */
export interface Context {
  readonly definitions: Definitions;
  readonly chain: Chain;
  /** What is to be said of the configuration as it is. */
  readonly known: readonly Problem[];
  /** What would be to be said of it with further changes at run time. */
  readonly with: (texts: ReadonlyMap<string, string>) => readonly Problem[];
}

/** Checks changes as they came; keys that have no effect may be changed where a file has them. */
export const checkChanges = (
  changes: Readonly<Record<string, unknown>>,
  context: Context,
): CheckedChanges => {
  const texts = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(changes)) {
    const text = textOf(value);
    const problem = faultOf(key, text, context);
    if (problem) problems.push(problem);
    if (text !== undefined) texts.set(key, text);
  }
  return { problems: [...problems, ...faultsOfAll(texts, problems, context)], texts };
};

/** Errors that changes which may each be right by themselves would bring about. */
const faultsOfAll = (
  texts: ReadonlyMap<string, string>,
  told: readonly Problem[],
  context: Context,
): readonly Problem[] => {
  const keys = new Set(told.map(({ key }) => key));
  const known = new Set(context.known.map(({ message }) => message));
  return context
    .with(texts)
    .filter(
      ({ severity, key, message }) => severity === "error" && !keys.has(key) && !known.has(message),
    );
};

const textOf = (value: unknown): string | undefined => {
  if (value === null) return "";
  if (Array.isArray(value))
    return value.every(isPlain) ? textOf(value.map(String).join(", ")) : undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || unwritable.test(value.trim())) return undefined;
  return asRead(value);
};

const isPlain = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Line breaks and other control characters, and halves of characters. */
const unwritable = /[^\P{Cc}\t]|\p{Cs}/u;

const faultOf = (key: string, text: string | undefined, context: Context): Problem | undefined => {
  if (key === "extends") return refused(key, "extends: can only be changed in the file itself.");
  const { definitions, chain } = context;
  const definition = definitions.get(key);
  if (!definition && find(chain, key) === undefined && explain(key) === undefined)
    return { ...unknownKey(key, definitions, origin), severity: "error" };
  if (text === undefined)
    return refused(
      key,
      `${key}: expected ${definition ? expectation(definition) : "a text"} on one line.`,
    );
  if (!definition) return undefined;
  const parsed = parseValue(definition, text);
  return parsed.ok ? undefined : refused(key, mismatch(key, parsed.expected, { text, origin }));
};

const refused = (key: string, message: string): Problem => ({
  severity: "error",
  message,
  key,
  origin,
});

const origin: Origin = { layer: "runtime" };
