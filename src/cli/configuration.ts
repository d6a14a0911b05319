import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { type Environment, environment } from "../config/environment.ts";
import { type ConfigFile, type ConfigOptions, loadConfig } from "../config/file.ts";
import { findConfig } from "../config/lookup.ts";
import type { Config, Snapshot } from "../config/store.ts";
import { keyGroups } from "../keys.ts";
import { prepareSamples } from "../samples/prepare.ts";
import { isWorker } from "../supervisor/worker.ts";
import { type ExitCode, type Terminal, tellError, tellWarning, UsageError } from "./command.ts";

/** What a command line says of the configuration: a folder of pictures, a file, or nothing. */
export interface Wanted {
  readonly command: string;
  readonly folder: string | undefined;
  readonly config: string | undefined;
}

/** A configuration that can be followed, and the arguments by which another process finds it. */
export interface Configured {
  readonly loaded: ConfigFile;
  readonly args: readonly string[];
}

/**
 * Loads the configuration that a command line asks for, or one for the samples. Says what is wrong
 * with it; undefined where it cannot be followed.
 */
export const configure = async (
  wanted: Wanted,
  env: Environment,
  terminal: Terminal,
): Promise<Configured | undefined> => {
  if (wanted.folder !== undefined && wanted.config !== undefined)
    throw new UsageError(`${wanted.command}: expected a folder or a configuration, got both`);
  const path = wanted.folder === undefined ? findConfig({ named: wanted.config, env }) : undefined;
  const folder = path === undefined ? await pictures(wanted, terminal) : undefined;
  const values = folder === undefined ? undefined : embeddedDefault(folder);
  const loaded = await followed({ env, path, values }, terminal);
  if (loaded === undefined) return undefined;
  return { loaded, args: path === undefined ? ["--", folder ?? "."] : ["--config", path] };
};

/**
 * Does something by the configuration that a command line names, or else the environment or the working
 * folder; where there is none, by the defaults and what the environment says of single keys. Says what is wrong with
 * it; 2 where it cannot be followed.
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
): Promise<ConfigFile | undefined> => {
  // Of several processes one writes the file.
  const loaded = await loadConfig({ ...options, groups: keyGroups, follows: isWorker() });
  const { errors, warnings } = loaded.problems;
  // The supervisor has said them for all its workers.
  if (!isWorker()) for (const { message } of warnings) tellWarning(terminal, message);
  for (const { message } of errors) tellError(terminal, message);
  if (errors.length > 0) {
    await loaded.close();
    return undefined;
  }
  return loaded;
};

/** The folder to serve where no configuration says one, with the slash that a prefix needs. */
const pictures = async ({ command, folder }: Wanted, terminal: Terminal): Promise<string> => {
  if (folder === undefined) {
    const samples = await prepareSamples((line) => terminal.err(`${line}\n`), terminal.signal);
    void samples.large.then((large) => {
      if ("missing" in large && !terminal.signal.aborted) terminal.err(`${large.missing}\n`);
    });
    return withSlash(samples.folder);
  }
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new UsageError(`${command}: there is no folder '${folder}'`);
  if (!found.isDirectory())
    throw new UsageError(`${command}: expected a folder, but '${folder}' is a file`);
  return withSlash(resolve(folder));
};

const withSlash = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** What holds where there is no configuration: safe on any machine, and something to look at. */
const embeddedDefault = (folder: string): Snapshot => ({
  "http.host": "127.0.0.1",
  "endpoint.iiif.1.enabled": true,
  "endpoint.landing.list": true,
  "FilesystemSource.BasicLookupStrategy.path_prefix": folder,
  "cache.server.derivative.enabled": true,
  "cache.server.derivative": "HeapCache",
  "HeapCache.target_size": 256 * 2 ** 20,
});
