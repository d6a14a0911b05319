import { assess } from "./assess.ts";
import { readChain } from "./chain.ts";
import { type Environment, variableOf } from "./environment.ts";
import type { KeyGroup } from "./keys.ts";
import { definitionsOf } from "./layers.ts";
import { type ConfigurationProblem, type Problems, sorted } from "./problems.ts";
import { type Unused, unusedText } from "./unused-text.ts";

/** The report on a configuration before it is used. */
export interface Report extends Problems {
  /** The files read, the main one first. */
  readonly files: readonly string[];
  /** Keys that take their value from the environment. */
  readonly overridden: readonly { readonly key: string; readonly variable: string }[];
  /** Why Cantaloupe's defaults apply, as a clause; undefined where they do not. */
  readonly compatible?: string | undefined;
  /** Sentences on features unavailable on this machine, whatever is configured; default none. */
  readonly unavailable?: readonly string[];
  /** The results of trying the sources, in lines; absent where they were not tried. */
  readonly connections?: {
    readonly reached: readonly string[];
    readonly unreached: readonly string[];
  };
  /** Every key that some part of the server reads. */
  readonly used: readonly string[];
}

/** Checks a configuration file with those it extends and with the environment. */
export const checkConfig = async (
  path: string,
  groups: readonly KeyGroup[],
  env: Environment,
): Promise<Report> => {
  const chain = await readChain(path);
  const definitions = definitionsOf(groups);
  const { evaluated, problems } = assess(definitions, {
    given: {},
    chain,
    runtime: new Map(),
    env,
  });
  return {
    ...sorted(problems),
    files: chain.paths,
    compatible: evaluated.compatible,
    overridden: [...evaluated.origins]
      .filter(([, { layer }]) => layer === "environment")
      .map(([key]) => ({ key, variable: variableOf(key) })),
    used: [...definitions.keys()],
  };
};

/** The report as text, errors first and verdict last. */
export const reportText = (report: Report): string => {
  const {
    errors,
    warnings,
    notes,
    overridden,
    files,
    used,
    unavailable = [],
    connections,
  } = report;
  const sections = [
    section(
      "As Cantaloupe",
      report.compatible === undefined
        ? []
        : [
            `Unset keys have Cantaloupe's defaults, since ${report.compatible}.`,
            "'vitrine config migrate' converts the file with all of them spelled out.",
          ],
    ),
    section("Errors", errors.map(messageOf)),
    section("Sources that cannot be reached", connections?.unreached ?? []),
    section("Sources", connections?.reached ?? []),
    section("Warnings", warnings.map(messageOf)),
    section("Keys that have no effect here", unusedText(notes.flatMap(unusedOf), used)),
    section("Unavailable on this machine", unavailable),
    section(
      "Values from the environment",
      overridden.map(({ key, variable }) => `${key}: set by ${variable}, whatever the file says.`),
    ),
  ];
  return `${sections.join("")}${files.join(", ")}: ${verdict(report)}\n`;
};

const unusedOf = ({ key, remark }: ConfigurationProblem): readonly Unused[] =>
  key === undefined || remark === undefined ? [] : [{ key, remark }];

const messageOf = ({ message }: ConfigurationProblem): string => message;

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${title}:\n${lines.map((line) => `  ${line}\n`).join("")}\n`;

const verdict = ({ errors, warnings, connections }: Report): string => {
  if (errors.length > 0)
    return `not usable: ${counted(errors.length, "error")}; the server would not start.`;
  const { unreached = [] } = connections ?? {};
  if (unreached.length > 0)
    return `the server would start, but ${counted(unreached.length, "source")} cannot be reached.`;
  return warnings.length > 0 ? `usable, with ${counted(warnings.length, "warning")}.` : "good.";
};

const counted = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? "" : "s"}`;
