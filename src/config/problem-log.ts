import type { Logger } from "../core/log.ts";
import { type ConfigurationProblem, sorted } from "./problems.ts";

/**
 * Logs the faults of files that were read again, warnings only where they are new; returns whether
 * there were none.
 */
export const logProblems = (
  problems: readonly ConfigurationProblem[],
  before: readonly ConfigurationProblem[],
  log: Logger,
): boolean => {
  const { errors, warnings } = sorted(problems);
  const known = new Set(before.map(({ message }) => message));
  for (const { message, givenWay } of warnings.slice(0, max))
    if (!known.has(message)) log[givenWay ? "error" : "warn"](message);
  for (const { message } of errors.slice(0, max)) log.error(message);
  if (errors.length > 0)
    log.error("The changed configuration was not applied; the running values stay in effect.");
  return errors.length === 0;
};

/** Maximum number of errors and of warnings logged for one reading. */
const max = 50;
