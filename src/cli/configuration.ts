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
import { type ExitCode, type Terminal, tellError, tellWarning, UsageError } from "./command.ts";

/** What a command line says of the configuration: a folder of images, a file, or nothing. */
export interface ConfigurationOptions {
  readonly command: string;
  readonly folder: string | undefined;
  readonly config: string | undefined;
}

/**
 * The files of the configuration as another process took them over; undefined where it cannot be
 * had.
 */
export type Accepted = () => Promise<Chain | undefined>;

/** A configuration that can be followed, and the arguments by which another process finds it. */
export interface Configured {
  readonly loaded: ConfigFile;
  readonly args: readonly string[];
}

/**
 * Loads the configuration that a command line asks for, or one for the samples. Says what is wrong
 * with it; undefined where it cannot be followed. With `accepted`, a file that cannot be followed
 * any more gives way to what it was when another process took it over.
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
 * Does something by the configuration that a command line names, or else the environment or the
 * working folder; where there is none, by the defaults and what the environment says of single
 * keys. Says what is wrong with it; 2 where it cannot be followed.
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

/** A configuration once it is said what is wrong with it; undefined where it cannot be followed. */
const followed = async (
  options: Pick<ConfigOptions, "env" | "path" | "values">,
  terminal: Terminal,
  accepted?: Accepted,
): Promise<ConfigFile | undefined> => {
  // Of several processes one writes the file.
  const all = { ...options, groups: keyGroups, follows: isWorker() };
  const first = await loadConfig(all);
  const loaded = first.running.errors.length === 0 ? first : await loadBefore(first, all, accepted);
  const { errors, warnings } = loaded.running;
  // The supervisor has said them for all its workers.
  if (!isWorker())
    for (const { message, givenWay } of warnings)
      (givenWay ? tellError : tellWarning)(terminal, message);
  for (const { message } of errors) tellError(terminal, message);
  if (errors.length > 0) {
    await loaded.close();
    return undefined;
  }
  return loaded;
};

/**
 * The configuration as another process took it over, in the place of one that cannot be followed;
 * that one where there is none.
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

/** The folder to serve where no configuration says one, with the slash that a prefix needs. */
const pictures = async ({ command, folder }: ConfigurationOptions): Promise<string> => {
  if (folder === undefined) return fileURLToPath(samplesFolder);
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new UsageError(`${command}: there is no folder '${folder}'`);
  if (!found.isDirectory())
    throw new UsageError(`${command}: expected a folder, but '${folder}' is a file`);
  return withSlash(resolve(folder));
};

/** The project's own images, which come with the package. */
const samplesFolder = new URL("../../samples/", import.meta.url);

const withSlash = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** What holds where there is no configuration: safe on any machine, and something to look at. */
const embeddedDefault = (folder: string): Snapshot => ({
  "http.host": "127.0.0.1",
  "endpoint.landing.list": true,
  "FilesystemSource.BasicLookupStrategy.path_prefix": folder,
});
