import type { Logger } from "../core/log.ts";
import { type ConfigurationProblem, sorted } from "./problems.ts";

/**
 * Logs what is to be said of files that were read again, warnings only where they are new; answers
 * whether all is well.
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
    log.error("The changed configuration is not taken over; the running values stay.");
  return errors.length === 0;
};

/** How many errors and how many warnings of one reading are logged. */
const max = 50;
