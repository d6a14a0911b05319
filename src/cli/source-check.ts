import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import type { Problem } from "../config/problems.ts";
import type { Config } from "../config/store.ts";
import { keyGroups } from "../keys.ts";
import { sourceKeys, sources } from "../sources/index.ts";

/** Why there can be no images by a configuration, in sentences; undefined where there can. */
export const unusableSource = async (config: Config): Promise<string | undefined> => {
  const kind = sources[config.view(sourceKeys)()["source.static"]];
  return kind.unusable?.(config.view(kind.keys)());
};

/** What a configuration file says of where images are that is not so on this machine. */
export const checkSource = async (path: string, env: Environment): Promise<readonly Problem[]> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  try {
    const message = await unusableSource(loaded.config);
    return message === undefined ? [] : [{ severity: "error", message }];
  } finally {
    await loaded.close();
  }
};
