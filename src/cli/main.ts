#!/usr/bin/env node
import { Command } from "@commander-js/extra-typings";
import type { Terminal } from "./command.ts";
import { run } from "./program.ts";
import { styleFor } from "./style.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    // A second signal means: at once.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });

// A reader that closes early, as `head` does, must end neither a command nor the server with a
// crash.
let unwritten = false;
for (const stream of [process.stdout, process.stderr])
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" || unwritten) return;
    unwritten = true;
    if (stream === process.stdout)
      process.stderr.write(`vitrine: the result cannot be written (${code})\n`);
  });
process.on("exit", (code) => {
  if (unwritten && code === 0) process.exitCode = 1;
});

// Follows NO_COLOR and FORCE_COLOR.
const { getOutHasColors, getErrHasColors } = new Command().configureOutput();
const terminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  // Opened only by commands that read it.
  get input() {
    return process.stdin;
  },
  outStyle: styleFor(getOutHasColors?.() ?? false),
  errStyle: styleFor(getErrHasColors?.() ?? false),
  // Some terminals do not know their width.
  outColumns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
  errColumns: process.stderr.isTTY ? process.stderr.columns || 80 : undefined,
  signal: stop.signal,
};

process.exitCode = await run(process.argv.slice(2), terminal);
