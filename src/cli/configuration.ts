import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { keyGroups } from "../app/keys.ts";
import type { Chain } from "../config/chain.ts";
import { type Environment, environment } from "../config/environment.ts";
import { type ConfigFile, loadConfig } from "../config/file.ts";
import { findConfig } from "../config/lookup.ts";
import type { ConfigOptions } from "../config/options.ts";
import type { Config, Snapshot } from "../config/store.ts";
import { isWorker } from "../supervisor/worker.ts";
import { type ExitCode, type Terminal, UsageError, writeError, writeWarning } from "./command.ts";

/** The configuration named by a command line: a folder of images, a file, or none. */
export interface ConfigurationOptions {
  readonly command: string;
  readonly folder: string | undefined;
  readonly config: string | undefined;
}

/** The configuration files as another process applied them; undefined where unavailable. */
export type Accepted = () => Promise<Chain | undefined>;

/** A valid configuration, and the arguments by which another process finds it. */
export interface Configured {
  readonly loaded: ConfigFile;
  readonly args: readonly string[];
}

/**
 * Loads the configuration of a command line, or one for the samples. Prints its faults; undefined
 * where it is invalid. With `accepted`, a file that has become invalid is replaced by what another
 * process applied.
 */
export const configure = async (
  wanted: ConfigurationOptions,
  env: Environment,
  terminal: Terminal,
  accepted?: Accepted,
): Promise<Configured | undefined> => {
  if (wanted.folder !== undefined && wanted.config !== undefined)
    throw new UsageError(`${wanted.command}: expected a folder or a configuration, got both`);
  const path = wanted.folder === undefined ? findConfig({ named: wanted.config, env }) : undefined;
  const folder = path === undefined ? await pictures(wanted) : undefined;
  const values = folder === undefined ? undefined : embeddedDefault(folder);
  const loaded = await followed({ env, path, values }, terminal, accepted);
  if (loaded === undefined) return undefined;
  return { loaded, args: path === undefined ? ["--", folder ?? "."] : ["--config", path] };
};

/**
 * Runs work with the configuration named by the command line, the environment or the working
 * folder; where there is none, with the defaults and environment variables of single keys. Prints
 * its faults; 2 where it is invalid.
 */
export const byConfiguration = async (
  named: string | undefined,
  terminal: Terminal,
  use: (config: Config) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const env = environment();
  const loaded = await followed({ env, path: findConfig({ named, env }) }, terminal);
  if (loaded === undefined) return 2;
  try {
    return await use(loaded.config);
  } finally {
    await loaded.close();
  }
};

/** A configuration after printing its faults; undefined where it is invalid. */
const followed = async (
  options: Pick<ConfigOptions, "env" | "path" | "values">,
  terminal: Terminal,
  accepted?: Accepted,
): Promise<ConfigFile | undefined> => {
  // Only one of several processes writes the file.
  const all = { ...options, groups: keyGroups, follows: isWorker() };
  const first = await loadConfig(all);
  const loaded = first.running.errors.length === 0 ? first : await loadBefore(first, all, accepted);
  const { errors, warnings } = loaded.running;
  // The supervisor has printed them for all its workers.
  if (!isWorker())
    for (const { message, givenWay } of warnings)
      (givenWay ? writeError : writeWarning)(terminal, message);
  for (const { message } of errors) writeError(terminal, message);
  if (errors.length > 0) {
    await loaded.close();
    return undefined;
  }
  return loaded;
};

/**
 * The configuration as another process applied it, in place of an invalid one; the invalid one
 * where there is none.
 */
const loadBefore = async (
  broken: ConfigFile,
  options: ConfigOptions,
  accepted: Accepted | undefined,
): Promise<ConfigFile> => {
  const chain = await accepted?.().catch(() => undefined);
  if (chain === undefined) return broken;
  await broken.close();
  return loadConfig({ ...options, accepted: chain });
};

/** The folder to serve without a configuration, with the slash that a prefix needs. */
const pictures = async ({ command, folder }: ConfigurationOptions): Promise<string> => {
  if (folder === undefined) return fileURLToPath(samplesFolder);
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new UsageError(`${command}: there is no folder '${folder}'`);
  if (!found.isDirectory())
    throw new UsageError(`${command}: expected a folder, but '${folder}' is a file`);
  return withSlash(resolve(folder));
};

/** The sample images in the package. */
const samplesFolder = new URL("../../samples/", import.meta.url);

const withSlash = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** Settings without a configuration: safe on any machine, with something to look at. */
const embeddedDefault = (folder: string): Snapshot => ({
  "http.host": "127.0.0.1",
  "endpoint.landing.list": true,
  "endpoint.presentation.enabled": true,
  "FilesystemSource.BasicLookupStrategy.path_prefix": folder,
});
