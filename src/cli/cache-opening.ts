import { keyGroups } from "../app/keys.ts";
import { environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import { findConfig } from "../config/lookup.ts";
import { masked } from "../config/masked.ts";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { type Logger, silent } from "../core/log.ts";
import { createDerivatives, type Derivatives } from "../service/caching.ts";
import { cachingKeys } from "../service/caching-keys.ts";
import { type ExitCode, type Terminal, UsageError, writeError, writeWarning } from "./command.ts";

/** The context of a command. */
export interface CommandContext {
  /** Its name, for messages. */
  readonly command: string;
  readonly config: Config;
  /** Reports problems. */
  readonly log: Logger;
  /** Closes something when the command ends, however it does. */
  readonly closing: (close: () => Promise<void>) => void;
}

/** Time limit of a command in milliseconds. */
const maxMs = 6 * 3_600_000;

/**
 * Runs work with the named configuration; 1 where that fails, 2 where the configuration is invalid.
 */
export const withConfig = async (
  command: string,
  named: string | undefined,
  terminal: Terminal,
  use: (place: CommandContext, signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const env = environment();
  const loaded = await loadConfig({ groups: keyGroups, env, path: findConfig({ named, env }) });
  const closers = [() => loaded.close()];
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error("it took too long")), maxMs);
  try {
    const { errors } = loaded.problems;
    for (const { message } of errors) writeError(terminal, message);
    if (errors.length > 0) return 2;
    const warn = (message: string): void => writeWarning(terminal, message);
    const log = { ...silent, warn, error: warn };
    const closing = (close: () => Promise<void>): void => void closers.unshift(close);
    const signal = AbortSignal.any([terminal.signal, deadline.signal]);
    return await use({ command, config: loaded.config, log, closing }, signal);
  } catch (error) {
    const isMalformed = error instanceof ServerError && error.failure === "malformed";
    if (error instanceof UsageError || isMalformed) throw error;
    const reason = masked(error instanceof Error ? error.message : String(error));
    terminal.err(`${command}: ${terminal.signal.aborted ? "interrupted" : reason}\n`);
    return 1;
  } finally {
    clearTimeout(timer);
    for (const close of closers) await close();
  }
};

/** Why a cache in memory cannot be accessed. */
export const unreachable =
  "HeapCache is in the memory of the server's processes, out of reach of commands; a restart empties it, unless HeapCache.persist writes it to a file: remove that while the server is stopped";

/** The configured derivative cache; throws where there is none that can be accessed. */
export const openDerivatives = async ({
  command,
  config,
  log,
  closing,
}: CommandContext): Promise<Derivatives> => {
  const settings = config.view(cachingKeys)();
  const kind = settings["cache.server.derivative"];
  if (kind === "HeapCache") throw new UsageError(`${command}: ${unreachable}`);
  const derivatives = await createDerivatives(config, log, { lookMs: 0 });
  if (derivatives === undefined)
    throw new UsageError(
      `${command}: expected a configuration with a derivative cache; cache.server.derivative is '${kind}', cache.server.derivative.enabled ${settings["cache.server.derivative.enabled"]}`,
    );
  closing(() => derivatives.cache.close());
  return derivatives;
};

/** The elapsed time for people. */
export const stopwatch = (): (() => string) => {
  const began = performance.now();
  return () => `${((performance.now() - began) / 1_000).toFixed(2)} s`;
};
