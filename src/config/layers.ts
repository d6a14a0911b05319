import { type Chain, type ChainSetting, find } from "./chain.ts";
import {
  cantaloupeValue,
  fallsBackToDefault,
  isNamedForCantaloupe,
  keyOfCantaloupe,
} from "./compatibility.ts";
import { type Environment, variableOf } from "./environment.ts";
import type { Definition, KeyGroup, NumberedKeys } from "./keys.ts";
import { masked } from "./masked.ts";
import { numberedDefinition, numberedIn } from "./numbered.ts";
import { blankValue, expectation, formatValue, parseValue } from "./parse.ts";
import { type ConfigurationProblem, originText, type ProblemOrigin, quoted } from "./problems.ts";
import type { Snapshot } from "./store.ts";
import { isUnreadable, readVariable } from "./variable-values.ts";

/** All keys that any part of the server defines; of numbered ones only those known to be set. */
export type Definitions = ReadonlyMap<string, Definition> & {
  readonly numbered?: readonly NumberedKeys[];
  /** Faults that groups find in combinations of values. */
  readonly faults?: readonly NonNullable<KeyGroup["faults"]>[];
};

/** Origins of values; later layers override earlier ones. */
export interface Layers {
  /** Replacements for the defaults of some keys. */
  readonly given: Snapshot;
  readonly chain: Pick<Chain, "files">;
  /** Changes at run time, as text. */
  readonly runtime: ReadonlyMap<string, string>;
  readonly env: Environment;
}

/** The value of every key, the origin of each, and the faults of rejected ones. */
export interface Evaluated {
  readonly values: Snapshot;
  readonly origins: ReadonlyMap<string, ProblemOrigin>;
  readonly problems: readonly ConfigurationProblem[];
  /** Why Cantaloupe's defaults apply, as a clause; undefined where they do not. */
  readonly compatible: string | undefined;
  /** Of all these keys. */
  readonly definitions: Definitions;
}

/** The definitions of all groups by key; of two for the same key the first. */
export const definitionsOf = (groups: readonly KeyGroup[]): Definitions => {
  const definitions = new Map<string, Definition>();
  for (const { keys } of groups)
    for (const [key, definition] of Object.entries(keys))
      if (!definitions.has(key)) definitions.set(key, definition);
  const numbered = groups.flatMap((group) => (group.numbered ? [group.numbered] : []));
  const faults = groups.flatMap((group) => (group.faults ? [group.faults] : []));
  return Object.assign(definitions, { numbered, faults });
};

/** The definition of a key, including numbered ones. */
export const definitionOf = (definitions: Definitions, key: string): Definition | undefined =>
  definitions.get(key) ?? numberedDefinition(definitions.numbered ?? [], key);

/** The definitions including numbered keys that are set somewhere. */
const withNumbered = (
  definitions: Definitions,
  places: Pick<Layers, "chain" | "runtime" | "env">,
): Definitions => {
  const { numbered = [], faults = [] } = definitions;
  const found = numberedIn(numbered, places);
  return found.length === 0
    ? definitions
    : Object.assign(new Map([...definitions, ...found]), { numbered, faults });
};

/** Evaluates every key. The environment has the last word (reference 1.4). */
export const evaluate = (known: Definitions, layers: Layers): Evaluated => {
  const definitions = withNumbered(known, layers);
  const compatible = compatibilityOf(definitions, layers);
  const outcomes = new Map<string, LayeredValue>();
  for (const [key, definition] of definitions)
    outcomes.set(key, settle(key, definition, { ...layers, compatible: compatible !== undefined }));
  const usualOf = (definition: Definition): unknown =>
    compatible === undefined ? definition.default : cantaloupeValue(definition, settled);
  const settled = (key: string): unknown => {
    const definition = definitions.get(key);
    if (definition === undefined) return undefined;
    // A value may be null: explicitly unset.
    const { value = layers.given[key] ?? usualOf(definition) } = outcomes.get(key) ?? {};
    return value;
  };
  const problems: ConfigurationProblem[] = [];
  const origins = new Map<string, ProblemOrigin>();
  const values: [string, unknown][] = [];
  for (const [key, outcome] of outcomes) {
    values.push([key, settled(key)]);
    origins.set(key, outcome.origin);
    problems.push(...outcome.problems.map((problem) => told(problem, settled, definitions)));
  }
  return { values: Object.fromEntries(values), origins, problems, compatible, definitions };
};

/** A fault, followed by the value that applies in spite of it. */
const told = (
  problem: ConfigurationProblem,
  settled: (key: string) => unknown,
  definitions: Definitions,
): ConfigurationProblem => {
  const definition = definitions.get(problem.key ?? "");
  if (!problem.givenWay || problem.key === undefined || definition === undefined) return problem;
  const value = formatValue(definition, settled(problem.key));
  const held = value === "" ? "Nothing is set" : `${value} holds`;
  return { ...problem, message: `${problem.message} ${held} instead, as in Cantaloupe.` };
};

/** Why unset keys have the values that Cantaloupe sites rely on; undefined where they do not. */
const compatibilityOf = (definitions: Definitions, layers: Layers): string | undefined => {
  const key = "compatibility";
  const definition = definitions.get(key);
  if (definition === undefined) return undefined;
  const { value } = settle(key, definition, { ...layers, compatible: false });
  if (value === "none") return undefined;
  if (value === "cantaloupe") return `${key} is cantaloupe`;
  for (const { path, properties } of layers.chain.files) {
    const found = keyOfCantaloupe(properties.settings.keys());
    if (found !== undefined) return `${path} sets ${found}, which only Cantaloupe has a use for`;
    if (isNamedForCantaloupe(path)) return `the file is called ${path}`;
  }
  // A change at run time is written to a file a moment later.
  const changed = keyOfCantaloupe(layers.runtime.keys());
  return changed && `${changed} is set, which only Cantaloupe has a use for`;
};

/** The origins of values, and whether defaults may replace invalid ones. */
type Regime = Layers & { readonly compatible: boolean };

/**
 * Reports that a text is not a valid value of a key; a secret in the wrong place is not revealed.
 */
export const mismatch = (
  key: string,
  expected: string,
  came: { readonly text: string; readonly origin: ProblemOrigin },
): string =>
  `${key}: expected ${expected}, got ${quoted(masked(came.text))} (${originText(came.origin)}).`;

interface LayeredValue {
  /** Undefined: the default. */
  readonly value: unknown;
  readonly origin: ProblemOrigin;
  readonly problems: readonly ConfigurationProblem[];
}

const settle = (key: string, definition: Definition, layers: Regime): LayeredValue => {
  const variable = variableOf(key);
  const text = layers.env[variable];
  if (text === undefined) return settleBelow(key, definition, layers);
  const origin: ProblemOrigin = { layer: "environment", variable };
  const outcome = fromEnvironment(key, definition, { text, origin }, layers.compatible);
  if (!outcome.skipped) return outcome;
  const below = settleBelow(key, definition, layers);
  return { ...below, problems: [...outcome.problems, ...below.problems] };
};

/** The text of a key's value and its origin. */
export interface LayerValue {
  readonly text: string;
  readonly origin: ProblemOrigin;
}

/**
 * The effective text of a key that no part of the server defines, which may be empty; undefined
 * where the key is unset. An empty variable does not count.
 */
export const textOf = (
  key: string,
  { chain, runtime, env }: Pick<Layers, "chain" | "runtime" | "env">,
): LayerValue | undefined => {
  const variable = variableOf(key);
  const text = env[variable]?.trim() ?? "";
  if (text !== "") return { text, origin: { layer: "environment", variable } };
  const changed = runtime.get(key);
  if (changed !== undefined) return runtimeCame(changed);
  const found = find(chain, key);
  return found && fileCame(found);
};

const fromEnvironment = (
  key: string,
  definition: Definition,
  { text, origin }: LayerValue,
  compatible: boolean,
): LayeredValue & { readonly skipped: boolean } => {
  const taken = readVariable(definition, text);
  if (taken !== undefined) return { value: taken, origin, problems: [], skipped: false };
  const skipped =
    text.trim() === "" ||
    isUnreadable(definition, text) ||
    (compatible && fallsBackToDefault(key, definition, text.trim()));
  const message = mismatch(key, expectation(definition), { text, origin });
  const problem: ConfigurationProblem = {
    severity: skipped ? "warning" : "error",
    message: skipped ? `${message} The variable is skipped.` : message,
    key,
    origin,
  };
  return { value: undefined, origin, problems: [problem], skipped };
};

const settleBelow = (key: string, definition: Definition, layers: Regime): LayeredValue => {
  const { compatible } = layers;
  const changed = layers.runtime.get(key);
  if (changed !== undefined) return settleText(key, definition, runtimeCame(changed), compatible);
  const found = find(layers.chain, key);
  if (found === undefined) return { value: undefined, origin: byDefault, problems: [] };
  const outcome = settleText(key, definition, fileCame(found), compatible);
  return { ...outcome, problems: [...outcome.problems, ...repeated(key, found)] };
};

const runtimeCame = (text: string): LayerValue => ({ text, origin: { layer: "runtime" } });

const fileCame = ({ value, file, line }: ChainSetting): LayerValue => ({
  text: value,
  origin: { layer: "file", file, line },
});

const settleText = (
  key: string,
  definition: Definition,
  came: LayerValue,
  compatible: boolean,
): LayeredValue => {
  const { text, origin } = came;
  if (text === "") return settleBlank(key, definition, origin, compatible);
  const parsed = parseValue(definition, text);
  if (parsed.ok) return { value: parsed.value, origin, problems: [] };
  const message = mismatch(key, parsed.expected, came);
  const problem: ConfigurationProblem =
    compatible && fallsBackToDefault(key, definition, text)
      ? { severity: "warning", message, key, origin, givenWay: true, ineffective: true }
      : { severity: "error", message, key, origin };
  return { value: undefined, origin: byDefault, problems: [problem] };
};

const settleBlank = (
  key: string,
  definition: Definition,
  origin: ProblemOrigin,
  compatible: boolean,
): LayeredValue => {
  const meant = blankValue(definition);
  // Cantaloupe treats an empty key as unset.
  if (meant !== definition.default && !compatible) return { value: meant, origin, problems: [] };
  // Where Cantaloupe fails on empty values (reference H-30), users may wonder what they mean here.
  const odd = definition.type === "number" && definition.default !== null;
  const message = `${key}: expected ${expectation(definition)}, got nothing; the default ${definition.default} holds (${originText(origin)}).`;
  return {
    value: undefined,
    origin: byDefault,
    problems: odd ? [{ severity: "warning", message, key, origin }] : [],
  };
};

const repeated = (
  key: string,
  { file, line, ignored }: ChainSetting,
): readonly ConfigurationProblem[] =>
  ignored.length === 0
    ? []
    : [
        {
          severity: "warning",
          message: `${key}: set more than once; line ${line} of ${file} counts, not ${ignored.join(", ")}.`,
          key,
          origin: { layer: "file", file, line },
        },
      ];

const byDefault: ProblemOrigin = { layer: "default" };
