import { masked } from "../config/masked.ts";
import type { ConfigurationProblem } from "../config/problems.ts";

/** Remarks on a configuration, without secrets, each once and at most fifty. */
export const sentences = (problems: readonly ConfigurationProblem[]): readonly string[] => {
  const all = [...new Set(problems.map(({ message }) => masked(message)))];
  return all.length <= max
    ? all
    : [
        ...all.slice(0, max),
        `There are ${all.length - max} more; 'vitrine config check' has them.`,
      ];
};

const max = 50;
