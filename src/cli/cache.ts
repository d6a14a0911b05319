import { parseArgs } from "node:util";
import type { Amount } from "../caches/cache.ts";
import { countOf, openDerivatives, stopwatch, withConfig } from "./cache-opening.ts";
import type { Command } from "./command.ts";

/** `vitrine cache sweep`: lets go of what is too old or too much, as the server would. */
export const cacheSweep: Command = {
  usage: "cache sweep [--config FILE]",
  summary: "lets go of what is too old or too much in the cache",
  async run(args, terminal) {
    const { values } = parseArgs({ args: [...args], options: { config: { type: "string" } } });
    return withConfig("cache sweep", values.config, terminal, async (place, signal) => {
      const { cache, kind } = await openDerivatives(place);
      const watch = stopwatch();
      const gone = await cache.sweep(signal);
      const entries = countOf(gone.entries, "entry", "entries");
      terminal.out(`Removed ${entries} of ${inBytes(gone)} from ${kind} in ${watch()}.\n`);
      return 0;
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
    return withConfig("cache stats", values.config, terminal, async (place, signal) => {
      const { cache, kind } = await openDerivatives(place);
      const held = await cache.stats(signal);
      terminal.out(
        values.json
          ? `${JSON.stringify({ cache: kind, ...held })}\n`
          : `cache    ${kind}\nentries  ${held.entries}\nbytes    ${inBytes(held)}\n`,
      );
      return 0;
    });
  },
};

const inBytes = ({ bytes }: Amount): string =>
  bytes < mebibyte ? `${bytes} bytes` : `${bytes} bytes (${(bytes / mebibyte).toFixed(1)} MiB)`;

const mebibyte = 2 ** 20;
