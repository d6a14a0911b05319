import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import { findConfig } from "../config/lookup.ts";
import type { Snapshot } from "../config/store.ts";
import { keyGroups } from "../keys.ts";
import { prepareSamples } from "../samples/prepare.ts";
import { isWorker } from "../supervisor/worker.ts";
import { type Command, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { serveThroughWorkers } from "./serve-supervisor.ts";
import { serveAsWorker } from "./serve-worker.ts";

/** `vitrine serve`: runs the server until the process is told to stop. */
export const serve: Command = {
  usage: "serve [FOLDER] [--config FILE]",
  summary: "runs the server, on sample pictures where nothing else is said",
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { config: { type: "string" } },
      allowPositionals: true,
    });
    if (positionals.length > 1)
      throw new UsageError(`serve: expected one folder, got ${positionals.length}`);
    const [folder] = positionals;
    if (folder !== undefined && values.config !== undefined)
      throw new UsageError("serve: expected a folder or a configuration, got both");
    return run({ folder, config: values.config }, terminal);
  },
};

interface Wanted {
  readonly folder: string | undefined;
  readonly config: string | undefined;
}

const run = async (wanted: Wanted, terminal: Terminal): Promise<ExitCode> => {
  const env = environment();
  const path = wanted.folder === undefined ? findConfig({ named: wanted.config, env }) : undefined;
  const folder = path === undefined ? await pictures(wanted.folder, terminal) : undefined;
  const loaded = await loadConfig({
    groups: keyGroups,
    env,
    path,
    values: folder === undefined ? undefined : embeddedDefault(folder),
  });
  const { errors, warnings } = loaded.problems;
  // The supervisor has said them for all its workers.
  if (!isWorker()) for (const { message } of warnings) terminal.err(`warning: ${message}\n`);
  for (const { message } of errors) terminal.err(`error: ${message}\n`);
  if (errors.length > 0) {
    terminal.err("The server was not started. 'vitrine config check' tells more.\n");
    await loaded.close();
    return 2;
  }
  if (isWorker()) return serveAsWorker(loaded, env, terminal);
  const args = ["serve", ...(path === undefined ? ["--", folder ?? "."] : ["--config", path])];
  return serveThroughWorkers(loaded, { args, env }, terminal);
};

/** The folder to serve where no configuration says one, with the slash that a prefix needs. */
const pictures = async (folder: string | undefined, terminal: Terminal): Promise<string> => {
  if (folder === undefined) {
    const samples = await prepareSamples((line) => terminal.err(`${line}\n`), terminal.signal);
    void samples.large.then((large) => {
      if ("missing" in large && !terminal.signal.aborted) terminal.err(`${large.missing}\n`);
    });
    return withSlash(samples.folder);
  }
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new UsageError(`serve: there is no folder '${folder}'`);
  if (!found.isDirectory())
    throw new UsageError(`serve: expected a folder, but '${folder}' is a file`);
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
