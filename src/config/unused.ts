import { explain, explainedKeys } from "./cantaloupe.ts";
import { find } from "./chain.ts";
import type { Explanation } from "./explanation.ts";
import { type Definitions, type Layers, textOf } from "./layers.ts";
import { masked } from "./masked.ts";
import { nearest } from "./nearest.ts";
import { type ConfigurationProblem, originText, type ProblemOrigin } from "./problems.ts";

/**
 * Remarks on entries of files and changes at run time that no part of the server reads. Keys in
 * `told` are explained elsewhere.
 */
export const reportUnused = (
  layers: Pick<Layers, "chain" | "runtime" | "env">,
  definitions: Definitions,
  told: ReadonlySet<string | undefined>,
): readonly ConfigurationProblem[] => {
  const problems: ConfigurationProblem[] = [];
  let unknown = 0;
  for (const { key, value, origin } of entriesOf(layers)) {
    if (key === "extends" || definitions.has(key) || told.has(key)) continue;
    const explanation = explain(key);
    if (explanation)
      problems.push(explained(key, explanation, { value, origin, definitions, layers }));
    else if (++unknown <= maxUnknown) problems.push(unknownKey(key, definitions, origin));
  }
  if (unknown > maxUnknown)
    problems.push({
      severity: "warning",
      message: `${unknown - maxUnknown} more keys are unknown.`,
    });
  return problems;
};

interface UnusedKey {
  readonly key: string;
  readonly value: string;
  readonly origin: ProblemOrigin;
}

/** Every entry of every file, and changes at run time that no file has a line for. */
const entriesOf = ({ chain, runtime }: Pick<Layers, "chain" | "runtime">): readonly UnusedKey[] => [
  ...chain.files.flatMap(({ path, properties }) =>
    [...properties.settings].map(
      ([key, { value, line }]): UnusedKey => ({
        key,
        value: runtime.get(key) ?? value,
        origin: { layer: "file", file: path, line },
      }),
    ),
  ),
  ...[...runtime]
    .filter(([key]) => find(chain, key) === undefined)
    .map(([key, value]): UnusedKey => ({ key, value, origin: { layer: "runtime" } })),
];

/** Reports that a key is unknown, and which one may be meant. */
export const unknownKey = (
  key: string,
  definitions: Definitions,
  origin: ProblemOrigin,
): ConfigurationProblem => {
  // Where the file is something else altogether, its "keys" must not control a terminal, and a line
  // whose first equals sign is inside a URL may contain a password.
  const short = masked(key).slice(0, longestKey).replace(/\p{C}/gu, "\uFFFD");
  const explainable = explainedKeys()
    .map(([pattern]) => pattern)
    .filter((pattern) => !pattern.includes("*"));
  const meant = nearest(short, [...definitions.keys(), ...explainable]);
  return {
    severity: "warning",
    // A key far from all known ones may be meant for another program; one that is close is
    // misspelt.
    ...(meant === undefined ? {} : { ineffective: true }),
    message: `${short}${key.length > longestKey ? "…" : ""}: there is no such key (${originText(origin)}).${meant === undefined ? "" : ` Is ${meant} meant?`}`,
    key,
    origin,
  };
};

/** The text of an explanation, with the key that does the same and its own remark. */
const explanationText = (
  { explanation, replacedBy }: Explanation,
  definitions: Definitions,
): string => {
  if (replacedBy === undefined) return explanation;
  const further = definitions.has(replacedBy) ? undefined : explain(replacedBy);
  return `Use ${replacedBy} instead.${further === undefined ? "" : ` ${explanationText(further, definitions)}`}`;
};

interface UnusedContext {
  readonly value: string;
  readonly origin: ProblemOrigin;
  readonly definitions: Definitions;
  readonly layers: Pick<Layers, "chain" | "runtime" | "env">;
}

const explained = (
  key: string,
  explanation: Explanation,
  { value, origin, definitions, layers }: UnusedContext,
): ConfigurationProblem => {
  const { replacedBy } = explanation;
  // A key with an old name did something once: the user must learn that it no longer does.
  const missed = replacedBy !== undefined && definitions.has(replacedBy) && value !== "";
  // Setting both works with either server.
  const ineffective = missed && textOf(replacedBy, layers) === undefined;
  const remark = explanationText(explanation, definitions);
  return {
    severity: missed ? "warning" : "note",
    message: `${key}: has no effect (${originText(origin)}). ${remark}`,
    key,
    origin,
    remark,
    ...(ineffective ? { ineffective } : {}),
  };
};

const maxUnknown = 100;
const longestKey = 200;
