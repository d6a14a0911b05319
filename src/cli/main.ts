#!/usr/bin/env node
import { masked } from "../config/masked.ts";
import { nearest } from "../config/nearest.ts";
import { ServerError } from "../core/errors.ts";
import { productVersion } from "../core/product.ts";
import { cacheStats, cacheSweep } from "./cache.ts";
import { cachePurge } from "./cache-purge.ts";
import { type Command, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { configCheck, configPrint } from "./config.ts";
import { convert } from "./convert.ts";
import { explain } from "./explain.ts";
import { formatsCommand } from "./formats.ts";
import { inspect } from "./inspect.ts";
import { serve } from "./serve.ts";

/** Every command, by its words. */
const commands: Readonly<Record<string, Command>> = {
  serve,
  "config print": configPrint,
  "config check": configCheck,
  formats: formatsCommand,
  inspect,
  explain,
  convert,
  "cache purge": cachePurge,
  "cache sweep": cacheSweep,
  "cache stats": cacheStats,
};

const help = (): string => {
  const rows = Object.values(commands).map(({ usage, summary }) => [`vitrine ${usage}`, summary]);
  const width = Math.max(...rows.map(([usage = ""]) => usage.length)) + 2;
  return [
    "Vitrine, an image server for the IIIF Image API",
    "",
    ...rows.map(([usage = "", summary = ""]) => `  ${usage.padEnd(width)}${summary}`),
    `  ${"vitrine --version".padEnd(width)}prints the version`,
    `  ${"vitrine --help".padEnd(width)}prints this`,
    "",
  ].join("\n");
};

const run = async (args: readonly string[], terminal: Terminal): Promise<ExitCode> => {
  const [first = "--help", second = ""] = args;
  if (first === "--version" || first === "-v") {
    terminal.out(`vitrine ${productVersion}\n`);
    return 0;
  }
  if (first === "help" || asksForHelp(args)) {
    const details = (commands[first] ?? commands[`${first} ${second}`])?.details;
    terminal.out(help() + (details ? `\nvitrine ${first}:\n\n${details.join("\n")}\n` : ""));
    return 0;
  }
  const single = commands[first];
  if (single) return single.run(args.slice(1), terminal);
  const double = commands[`${first} ${second}`];
  if (double) return double.run(args.slice(2), terminal);
  throw new UsageError(unknownCommand(first, second));
};

/** Also behind a command: who asks how to use it must not set it off. */
const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  return options.length === 0 || options.includes("--help") || options.includes("-h");
};

const unknownCommand = (first: string, second: string): string => {
  const names = Object.keys(commands);
  const within = names.filter((name) => name.startsWith(`${first} `));
  if (within.length > 0)
    return `expected '${within.join("' or '")}'${second === "" ? "" : `, got '${first} ${second}'`}`;
  const meant = nearest(first, names);
  return `there is no command '${first}'${meant === undefined ? "" : `; is '${meant}' meant?`}`;
};

/** Whether a failure came from `parseArgs`, whose messages are written for people. */
const isArgumentError = (error: unknown): error is Error =>
  error instanceof Error &&
  String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS");

/** The first sentence: what follows it in `parseArgs`'s messages is advice that seldom fits. */
const firstSentence = (message: string): string => message.replace(/\. .*$/s, "");

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });

// A reader that has seen enough, as `head` has, must end neither a command nor the server in a crash.
let unwritten = false;
for (const stream of [process.stdout, process.stderr])
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" || unwritten) return;
    unwritten = true;
    if (stream === process.stdout)
      process.stderr.write(`vitrine: what was asked for cannot be written out (${code})\n`);
  });
process.on("exit", (code) => {
  if (unwritten && code === 0) process.exitCode = 1;
});

const terminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  signal: stop.signal,
};

try {
  process.exitCode = await run(process.argv.slice(2), terminal);
} catch (error) {
  if (error instanceof UsageError || isArgumentError(error)) {
    const message = error instanceof UsageError ? error.message : firstSentence(error.message);
    terminal.err(`vitrine: ${message}\nTry 'vitrine --help'.\n`);
    process.exitCode = 2;
  } else {
    terminal.err(`vitrine: ${masked(error instanceof Error ? error.message : String(error))}\n`);
    // Our own failures at this place are configurations that cannot be followed.
    process.exitCode = error instanceof ServerError ? 2 : 1;
  }
}
