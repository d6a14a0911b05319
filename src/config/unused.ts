import { explain, explainedKeys } from "./cantaloupe.ts";
import type { Chain } from "./chain.ts";
import type { Explanation } from "./explanation.ts";
import type { Definitions } from "./layers.ts";
import { masked } from "./masked.ts";
import { nearest } from "./nearest.ts";
import { type Origin, originText, type Problem } from "./problems.ts";

/** What the entries of a chain come to that no part of the server reads. */
export const reportUnused = (
  { files }: Pick<Chain, "files">,
  definitions: Definitions,
): readonly Problem[] => {
  const problems: Problem[] = [];
  let unknown = 0;
  for (const { path, properties } of files)
    for (const [key, { value, line }] of properties.settings) {
      if (key === "extends" || definitions.has(key)) continue;
      const origin: Origin = { layer: "file", file: path, line };
      const explanation = explain(key);
      if (explanation) problems.push(explained(key, explanation, { value, origin, definitions }));
      else if (++unknown <= mostUnknown) problems.push(unknownKey(key, definitions, origin));
    }
  if (unknown > mostUnknown)
    problems.push({
      severity: "warning",
      message: `${unknown - mostUnknown} more keys are unknown.`,
    });
  return problems;
};

/** Says that nobody knows a key, and which one may be meant. */
export const unknownKey = (key: string, definitions: Definitions, origin: Origin): Problem => {
  // Where the file is something else altogether, its "keys" must not steer a terminal, and a line
  // whose first sign of equality stands within an address is no place for a password.
  const short = masked(key).slice(0, longestKey).replace(/\p{C}/gu, "\uFFFD");
  const explainable = explainedKeys()
    .map(([pattern]) => pattern)
    .filter((pattern) => !pattern.includes("*"));
  const meant = nearest(short, [...definitions.keys(), ...explainable]);
  return {
    severity: "warning",
    message: `${short}${key.length > longestKey ? "…" : ""}: there is no such key (${originText(origin)}).${meant === undefined ? "" : ` Is ${meant} meant?`}`,
    key,
    origin,
  };
};

/** What an explanation says, with the key that does the same and what is to be said of that one. */
const explanationText = (
  { explanation, replacedBy }: Explanation,
  definitions: Definitions,
): string => {
  if (replacedBy === undefined) return explanation;
  const further = definitions.has(replacedBy) ? undefined : explain(replacedBy);
  return `Use ${replacedBy} instead.${further === undefined ? "" : ` ${explanationText(further, definitions)}`}`;
};

interface Context {
  readonly value: string;
  readonly origin: Origin;
  readonly definitions: Definitions;
}

const explained = (
  key: string,
  explanation: Explanation,
  { value, origin, definitions }: Context,
): Problem => {
  const asked = explanation.asks === true && (value === "true" || value === "1");
  // A key that is only spelled the old way did something once: that it no longer does must be heard.
  const missed =
    explanation.replacedBy !== undefined && definitions.has(explanation.replacedBy) && value !== "";
  const remark = explanationText(explanation, definitions);
  return {
    severity: asked || missed ? "warning" : "note",
    message: `${key}: has no effect (${originText(origin)}). ${remark}`,
    key,
    origin,
    remark,
  };
};

const mostUnknown = 100;
const longestKey = 200;
