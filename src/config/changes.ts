import { assess, type ChainLayers } from "./assess.ts";
import { explain } from "./cantaloupe.ts";
import { find } from "./chain.ts";
import { type Definitions, definitionOf, evaluate, mismatch } from "./layers.ts";
import { type Lock, lockMessage } from "./locks.ts";
import { expectation, parseValue } from "./parse.ts";
import type { ConfigurationProblem, ProblemOrigin } from "./problems.ts";
import { asRead } from "./properties.ts";
import type { Snapshot } from "./store.ts";
import { unknownKey } from "./unused.ts";

/** The result of changes at run time. */
export interface ChangeResult {
  /** Why nothing was changed; empty when everything was. */
  readonly problems: readonly ConfigurationProblem[];
  /** Keys whose new values need a restart. */
  readonly pending: readonly string[];
  /**
   * Keys that the environment sets: the file gets the new value, the server keeps the variable's.
   */
  readonly overridden: readonly string[];
}

/** Changes as the texts of a file, or their faults. */
export interface CheckedChanges {
  readonly problems: readonly ConfigurationProblem[];
  readonly texts: ReadonlyMap<string, string>;
}

/** The inputs of checking changes. */
export interface ChangeContext {
  readonly definitions: Definitions;
  /** The current configuration, including changes at run time so far. */
  readonly layers: ChainLayers;
  /** The remarks on it. */
  readonly problems: readonly ConfigurationProblem[];
  /** Why a key cannot be changed; undefined where it can. */
  readonly lockOf: (key: string) => Lock | undefined;
}

/**
 * Checks changes as received; keys without effect may be changed where a file has them. Locked keys
 * whose values stay the same are accepted and skipped, so that a configuration can be sent back
 * whole.
 */
export const checkChanges = (
  changes: Readonly<Record<string, unknown>>,
  context: ChangeContext,
): CheckedChanges => {
  const texts = new Map<string, string>();
  const problems: ConfigurationProblem[] = [];
  for (const [key, value] of Object.entries(changes)) {
    const text = textOf(value);
    const lock = context.lockOf(key);
    if (lock && text !== undefined && isSame(key, text, context)) continue;
    const problem = lock ? refusedFor(key, lock) : faultOf(key, text, context);
    if (problem) problems.push(problem);
    if (text !== undefined) texts.set(key, text);
  }
  return { problems: [...problems, ...faultsOfAll(texts, problems, context)], texts };
};

/** Whether a key's value in the files stays the same, whatever the environment says. */
const isSame = (key: string, text: string, context: ChangeContext): boolean => {
  const { definitions, layers } = context;
  const definition = definitionOf(definitions, key);
  if (definition)
    return (
      parseValue(definition, text).ok &&
      areSame(valuesWith(new Map([[key, text]]), context)[key], valuesWith(none, context)[key])
    );
  return (layers.runtime.get(key) ?? find(layers.chain, key)?.value ?? "") === text;
};

const none: ReadonlyMap<string, string> = new Map();

const areSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The layers with further changes at run time. */
const layersWith = (
  texts: ReadonlyMap<string, string>,
  { layers }: ChangeContext,
): ChainLayers => ({
  ...layers,
  runtime: new Map([...layers.runtime, ...texts]),
});

const valuesWith = (texts: ReadonlyMap<string, string>, context: ChangeContext): Snapshot =>
  evaluate(context.definitions, { ...layersWith(texts, context), env: {} }).values;

/** Faults of changes in combination: settings without effect, and consequences for locked keys. */
const faultsOfAll = (
  texts: ReadonlyMap<string, string>,
  told: readonly ConfigurationProblem[],
  context: ChangeContext,
): readonly ConfigurationProblem[] => {
  const { definitions, lockOf } = context;
  const locked = new Set(told.flatMap(({ key, fileOnly }) => (fileOnly ? [key] : [])));
  const faulty = new Set(told.flatMap(({ key, fileOnly }) => (fileOnly ? [] : [key])));
  const known = new Set(context.problems.map(({ message }) => message));
  const errors = assess(definitions, layersWith(texts, context)).problems.filter(
    ({ severity, key, message }) => severity === "error" && !faulty.has(key) && !known.has(message),
  );
  const [now, then] = [valuesWith(none, context), valuesWith(texts, context)];
  const moved = [...definitions.keys()].flatMap((key) => {
    const lock = lockOf(key);
    return lock && !locked.has(key) && !areSame(then[key], now[key]) ? [refusedFor(key, lock)] : [];
  });
  return [...errors, ...moved];
};

const refusedFor = (key: string, lock: Lock): ConfigurationProblem => ({
  ...refused(key, lockMessage(key, lock)),
  fileOnly: true,
});

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

/** Control characters, including line breaks, and lone surrogates. */
const unwritable = /[^\P{Cc}\t]|\p{Cs}/u;

const faultOf = (
  key: string,
  text: string | undefined,
  context: ChangeContext,
): ConfigurationProblem | undefined => {
  const { definitions, layers } = context;
  const definition = definitionOf(definitions, key);
  if (!definition && find(layers.chain, key) === undefined && explain(key) === undefined)
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

const refused = (key: string, message: string): ConfigurationProblem => ({
  severity: "error",
  message,
  key,
  origin,
});

const origin: ProblemOrigin = { layer: "runtime" };
