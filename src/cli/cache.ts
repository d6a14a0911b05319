import { Command } from "@commander-js/extra-typings";
import type { Amount } from "../caches/cache.ts";
import { openDerivatives, stopwatch, withConfig } from "./cache-opening.ts";
import { purgeCommand } from "./cache-purge.ts";
import type { Exit, Terminal } from "./command.ts";
import { configOption, jsonOption } from "./options.ts";
import { countOf } from "./words.ts";

/** `vitrine cache`: commands for the derivative cache. */
export const cacheCommand = (terminal: Terminal, exit: Exit) =>
  new Command("cache")
    .summary("purge, sweep or measure the derivative cache")
    .helpCommand(false)
    .description("Purge, sweep or measure the derivative cache.")
    .addCommand(purgeCommand(terminal, exit))
    .addCommand(sweepCommand(terminal, exit))
    .addCommand(statsCommand(terminal, exit));

const sweepCommand = (terminal: Terminal, exit: Exit) =>
  new Command("sweep")
    .summary("remove expired entries, and those beyond the limits")
    .description("Remove expired entries, and the least used above the size limit.")
    .addOption(configOption())
    .action(async ({ config }) => {
      const code = await withConfig("cache sweep", config, terminal, async (place, signal) => {
        const { cache, kind } = await openDerivatives(place);
        const watch = stopwatch();
        const gone = await cache.sweep(signal);
        const entries = countOf(gone.entries, "entry", "entries");
        terminal.out(`Removed ${entries} of ${inBytes(gone)} from ${kind} in ${watch()}.\n`);
        return 0;
      });
      exit(code);
    });

const statsCommand = (terminal: Terminal, exit: Exit) =>
  new Command("stats")
    .summary("report how much the cache holds")
    .description("Report how much the cache holds.")
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async ({ config, json }) => {
      const code = await withConfig("cache stats", config, terminal, async (place, signal) => {
        const { cache, kind } = await openDerivatives(place);
        const held = await cache.stats(signal);
        terminal.out(
          json
            ? `${JSON.stringify({ cache: kind, ...held })}\n`
            : `cache    ${kind}\nentries  ${held.entries}\nbytes    ${inBytes(held)}\n`,
        );
        return 0;
      });
      exit(code);
    });

const inBytes = ({ bytes }: Amount): string =>
  bytes < mebibyte ? `${bytes} bytes` : `${bytes} bytes (${(bytes / mebibyte).toFixed(1)} MiB)`;

const mebibyte = 2 ** 20;
