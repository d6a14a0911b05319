import { parseArgs } from "node:util";
import type { Amount, Cache } from "../caches/cache.ts";
import { derivativePrefix, infoPrefix, prefixesOf } from "../caches/names.ts";
import { environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import { findConfig } from "../config/lookup.ts";
import type { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { keyGroups } from "../keys.ts";
import { createDerivatives } from "../service/caching.ts";
import { cachingKeys } from "../service/caching-keys.ts";
import { type Command, type ExitCode, type Terminal, UsageError } from "./command.ts";

/** `vitrine cache purge`: removes what is kept of some images, or of all. */
export const cachePurge: Command = {
  usage: "cache purge [--identifier ID]... | --images | --infos | --all [--config FILE]",
  summary: "removes what the cache keeps of some images, or of all",
  async run(args, terminal) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        config: { type: "string" },
        identifier: { type: "string", multiple: true, default: [] },
        images: { type: "boolean", default: false },
        infos: { type: "boolean", default: false },
        all: { type: "boolean", default: false },
      },
    });
    const purges = purgesOf(values);
    return withCache("cache purge", values.config, terminal, async ({ cache, kind }, signal) => {
      for (const { what, prefixes } of purges) {
        const watch = stopwatch();
        let removed = 0;
        for (const prefix of prefixes) removed += await cache.remove(prefix, signal);
        terminal.out(`Removed ${entries(removed)} of ${what} from ${kind} in ${watch()}.\n`);
      }
      terminal.err("A server that is running may still have some of it in its memory.\n");
    });
  },
};

/** `vitrine cache sweep`: lets go of what is too old or too much, as the server would. */
export const cacheSweep: Command = {
  usage: "cache sweep [--config FILE]",
  summary: "lets go of what is too old or too much in the cache",
  async run(args, terminal) {
    const { values } = parseArgs({ args: [...args], options: { config: { type: "string" } } });
    return withCache("cache sweep", values.config, terminal, async ({ cache, kind }, signal) => {
      const watch = stopwatch();
      const gone = await cache.sweep(signal);
      terminal.out(
        `Removed ${entries(gone.entries)} of ${inBytes(gone)} from ${kind} in ${watch()}.\n`,
      );
    });
  },
};

/** `vitrine cache stats`: how much the cache holds. */
export const cacheStats: Command = {
  usage: "cache stats [--json] [--config FILE]",
  summary: "says how much the cache holds",
  async run(args, terminal) {
    const { values } = parseArgs({
      args: [...args],
      options: { config: { type: "string" }, json: { type: "boolean", default: false } },
    });
    return withCache("cache stats", values.config, terminal, async ({ cache, kind }, signal) => {
      const held = await cache.stats(signal);
      terminal.out(
        values.json
          ? `${JSON.stringify({ cache: kind, ...held })}\n`
          : `cache    ${kind}\nentries  ${held.entries}\nbytes    ${inBytes(held)}\n`,
      );
    });
  },
};

interface Purge {
  /** For people. */
  readonly what: string;
  readonly prefixes: readonly string[];
}

interface Choice {
  readonly identifier: readonly string[];
  readonly images: boolean;
  readonly infos: boolean;
  readonly all: boolean;
}

/** What to remove: nothing is where nothing is said. */
const purgesOf = ({ identifier, images, infos, all }: Choice): readonly Purge[] => {
  const chosen = [
    ...(identifier.length > 0
      ? [identifier.map((id) => ({ what: `'${id}'`, prefixes: prefixesOf(id) }))]
      : []),
    ...(images ? [[{ what: "all images", prefixes: [derivativePrefix] }]] : []),
    ...(infos ? [[{ what: "all infos", prefixes: [infoPrefix] }]] : []),
    ...(all ? [[{ what: "everything", prefixes: [""] }]] : []),
  ];
  const [purges, ...others] = chosen;
  if (purges === undefined || others.length > 0)
    throw new UsageError(
      `cache purge: expected --identifier ID, --images, --infos or --all, got ${purges ? "more than one of them" : "none of them"}`,
    );
  return purges;
};

interface Opened {
  readonly cache: Cache;
  readonly kind: string;
}

/** How long a command may take at the most, in milliseconds. */
const mostMs = 6 * 3_600_000;

/** Does something with the cache that the configuration names; 1 where that fails, 2 where there is none. */
const withCache = async (
  command: string,
  named: string | undefined,
  terminal: Terminal,
  use: (opened: Opened, signal: AbortSignal) => Promise<void>,
): Promise<ExitCode> => {
  const env = environment();
  const loaded = await loadConfig({ groups: keyGroups, env, path: findConfig({ named, env }) });
  try {
    const { errors } = loaded.problems;
    for (const { message } of errors) terminal.err(`error: ${message}\n`);
    if (errors.length > 0) return 2;
    const opened = await open(command, loaded.config, terminal);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error("it took too long")), mostMs);
    try {
      await use(opened, AbortSignal.any([terminal.signal, deadline.signal]));
      return 0;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      terminal.err(`${command}: ${terminal.signal.aborted ? "stopped before its end" : reason}\n`);
      return 1;
    } finally {
      clearTimeout(timer);
      await opened.cache.close();
    }
  } finally {
    await loaded.close();
  }
};

const open = async (command: string, config: Config, terminal: Terminal): Promise<Opened> => {
  const settings = config.view(cachingKeys)();
  const kind = settings["cache.server.derivative"];
  if (kind === "HeapCache")
    throw new UsageError(
      `${command}: HeapCache lives in the memory of the server's process, where no command reaches it; a restart empties it`,
    );
  const warn = (message: string): void => terminal.err(`warning: ${message}\n`);
  const derivatives = await createDerivatives(config, { ...silent, warn, error: warn });
  if (derivatives === undefined)
    throw new UsageError(
      `${command}: expected a configuration with a derivative cache; cache.server.derivative is '${kind}', cache.server.derivative.enabled ${settings["cache.server.derivative.enabled"]}`,
    );
  return derivatives;
};

const stopwatch = (): (() => string) => {
  const began = performance.now();
  return () => `${((performance.now() - began) / 1_000).toFixed(2)} s`;
};

const entries = (count: number): string => `${count} ${count === 1 ? "entry" : "entries"}`;

const inBytes = ({ bytes }: Amount): string =>
  bytes < mebibyte ? `${bytes} bytes` : `${bytes} bytes (${(bytes / mebibyte).toFixed(1)} MiB)`;

const mebibyte = 2 ** 20;
