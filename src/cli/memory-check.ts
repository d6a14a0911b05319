import { budgetWarnings, configuredWorkers, memoryFor, memoryShortage } from "../app/budget.ts";
import { keyGroups } from "../app/keys.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import { machine } from "../config/machine.ts";
import type { ConfigurationProblem } from "../config/problems.ts";

/** Settings of a configuration file that do not fit this machine's memory. */
export const checkMemory = async (
  path: string,
  env: Environment,
): Promise<{
  readonly errors: readonly ConfigurationProblem[];
  readonly warnings: readonly ConfigurationProblem[];
}> => {
  const { config, close } = await loaded(path, env);
  try {
    const here = machine();
    const memory = memoryFor(config, here);
    const lacking = memoryShortage(memory);
    const warnings = budgetWarnings(config, here, configuredWorkers(config, memory, here));
    return {
      errors: lacking === undefined ? [] : [{ severity: "error", key, message: lacking }],
      warnings: warnings.map((message) => ({ severity: "warning", key, message })),
    };
  } finally {
    await close();
  }
};

const key = "memory.budget";

const loaded = async (path: string, env: Environment) => {
  const file = await loadConfig({ groups: keyGroups, env, path });
  return { config: file.config, close: () => file.close() };
};
