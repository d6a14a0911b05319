import { keyGroups } from "../app/keys.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import type { ConfigurationProblem } from "../config/problems.ts";
import { unusableSource } from "../sources/choosing.ts";

/** Faults of the configured locations of images on this machine. */
export const checkSource = async (
  path: string,
  env: Environment,
): Promise<readonly ConfigurationProblem[]> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  try {
    const message = await unusableSource(loaded.config);
    return message === undefined ? [] : [{ severity: "error", message }];
  } finally {
    await loaded.close();
  }
};
