import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { keyGroups } from "../app/keys.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import type { ConfigurationProblem } from "../config/problems.ts";
import { ServerError } from "../core/errors.ts";
import { httpKeys } from "../http/connection/keys.ts";
import { loadKeyStore } from "../http/connection/tls.ts";

/**
 * Faults of the files around a configuration: the key store that it names, and those that only
 * Cantaloupe reads.
 */
export const checkSurroundings = async (
  path: string,
  env: Environment,
): Promise<{
  readonly errors: readonly ConfigurationProblem[];
  readonly warnings: readonly ConfigurationProblem[];
}> => ({
  errors: await keyStoreProblems(path, env),
  warnings: await formatListProblems(path),
});

/** Tries the key store where HTTPS is on: without it the server would not start. */
const keyStoreProblems = async (
  path: string,
  env: Environment,
): Promise<readonly ConfigurationProblem[]> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  try {
    const settings = loaded.config.view(httpKeys)();
    if (!settings["https.enabled"]) return [];
    await loadKeyStore(settings);
    return [];
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const message = `${error.message}.`;
    return [{ severity: "error", key: "https.key_store_path", message }];
  } finally {
    await loaded.close();
  }
};

/**
 * Places where Cantaloupe looks for plugins: beside the configuration, and in the working folder.
 */
const formatListProblems = async (path: string): Promise<readonly ConfigurationProblem[]> => {
  const places = [...new Set([dirname(path), resolve(".")])].map((folder) =>
    resolve(folder, formatList),
  );
  const there = await Promise.all(
    places.map(async (place) => ((await isFile(place)) ? [place] : [])),
  );
  return there.flat().map((place) => ({
    severity: "warning",
    message: `${place}: is not read. Vitrine detects formats from content, and \`vitrine formats\` lists them; formats that this file adds are not supported.`,
  }));
};

const formatList = "formats.yml";

const isFile = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ?? false;
};
