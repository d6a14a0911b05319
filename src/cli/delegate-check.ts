import { keyGroups } from "../app/keys.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import type { ConfigurationProblem } from "../config/problems.ts";
import { ServerError } from "../core/errors.ts";
import { delegateKeys } from "../delegate/keys.ts";
import { loadScript, rubySettings } from "../delegate/loading.ts";
import { locateScript } from "../delegate/locate.ts";

/**
 * Loads the delegate of a configuration file, where it is enabled; reports its faults and oddities.
 */
export const checkConfiguredDelegate = async (
  path: string,
  env: Environment,
): Promise<{
  readonly errors: readonly ConfigurationProblem[];
  readonly warnings: readonly ConfigurationProblem[];
}> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  const key = "delegate_script.pathname";
  try {
    const settings = loaded.config.view(delegateKeys)();
    if (!settings["delegate_script.enabled"]) return { errors: [], warnings: [] };
    const file = await locateScript(settings[key], { configuration: path, env });
    const { script, close } = await loadScript(file, rubySettings(loaded.config, undefined, path));
    close?.();
    const warnings = script.warnings.map(
      (message): ConfigurationProblem => ({
        severity: "warning",
        key,
        message: `${file}: ${message}`,
      }),
    );
    return { errors: [], warnings };
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return { errors: [{ severity: "error", key, message: error.message }], warnings: [] };
  } finally {
    await loaded.close();
  }
};
