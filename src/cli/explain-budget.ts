import {
  budgetWarnings,
  configuredBudget,
  configuredWorkers,
  memoryFor,
  memoryShortage,
} from "../app/budget.ts";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import { budgetText, type ExplainedBudget } from "./budget-report.ts";
import { type ExitCode, type Terminal, writeError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";

/**
 * `vitrine explain --budget`: how the server would divide the available memory. 2 where that is too
 * little to start.
 */
export const explainBudget = (
  { config, json }: { readonly config?: string | undefined; readonly json?: true | undefined },
  terminal: Terminal,
): Promise<ExitCode> =>
  byConfiguration(config, terminal, async (found) => {
    const { explained, lacking } = explainedBudget(found);
    terminal.out(json ? `${JSON.stringify(explained, null, 2)}\n` : budgetText(explained));
    if (lacking === undefined) return 0;
    writeError(terminal, lacking);
    return 2;
  });

const explainedBudget = (
  config: Config,
): { readonly explained: ExplainedBudget; readonly lacking: string | undefined } => {
  const here = machine();
  const memory = memoryFor(config, here);
  const workers = configuredWorkers(config, memory, here);
  const { total, parts, taken } = configuredBudget(config, memory, { ...here, workers });
  const warnings = budgetWarnings(config, here, workers);
  return {
    explained: { total, by: memory.by, workers, parts, taken, warnings },
    lacking: memoryShortage(memory),
  };
};
