import { type Definitions, type Layers, textOf } from "./layers.ts";
import { type MissingPart, type missingPartKeys, missingParts } from "./missing-parts.ts";
import { type ConfigurationProblem, originText, type ProblemOrigin } from "./problems.ts";
import type { Snapshot } from "./store.ts";

/**
 * Configured features that Vitrine does not have. For protection that is an error, unless `values`
 * say to ignore it; for anything else, and what is ignored, a warning.
 */
export const reportMissing = (
  layers: Pick<Layers, "chain" | "runtime" | "env">,
  definitions: Definitions,
  values: Snapshot,
): readonly ConfigurationProblem[] => {
  const ignores = values[ignoring] === "ignore";
  return missingParts.flatMap((part) => {
    const { key, asks, instead } = part;
    const came = textOf(key, layers);
    if (came === undefined || came.text === "" || !asks(came.text)) return [];
    if (instead !== undefined && isSet(instead, layers)) return [];
    const refused = part.protects && !ignores;
    return [
      {
        severity: refused ? "error" : "warning",
        message: `${key}: ${messageOf(part, { origin: came.origin, refused, definitions })}`,
        key,
        origin: came.origin,
        ...(refused ? {} : { ineffective: true }),
      },
    ];
  });
};

const ignoring = "unsupported_protection" satisfies keyof typeof missingPartKeys;

interface Case {
  readonly origin: ProblemOrigin;
  readonly refused: boolean;
  readonly definitions: Definitions;
}

const messageOf = (
  { wants, protects, instead }: MissingPart,
  { origin, refused, definitions }: Case,
): string => {
  const renamed = instead !== undefined && definitions.has(instead);
  const lack = renamed
    ? `asks for ${wants}, but is not read any more; use ${instead} instead (${originText(origin)}).`
    : `asks for ${wants}, which Vitrine does not have yet (${originText(origin)}).`;
  if (refused)
    return `${lack} Images would be served without that protection. Remove the key or switch it off, or set ${ignoring} = ignore to serve them all the same.`;
  return protects
    ? `${lack} Images are served without that protection, since ${ignoring} is ignore.`
    : `${lack} It has no effect.`;
};

const isSet = (key: string, layers: Parameters<typeof textOf>[1]): boolean =>
  (textOf(key, layers)?.text ?? "") !== "";
