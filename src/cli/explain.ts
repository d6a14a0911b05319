import { Command } from "@commander-js/extra-typings";
import { parseTarget } from "../http/request/target.ts";
import { type Exit, type Terminal, UsageError } from "./command.ts";
import type { ExplainRequest } from "./explain-request.ts";
import { configOption, jsonOption } from "./options.ts";

/**
 * `vitrine explain URL`: how the server would answer a request, determined by the functions that
 * serve it.
 */
export const explainCommand = (terminal: Terminal, exit: Exit) =>
  new Command("explain")
    .summary("explain how a request would be answered")
    .description(
      "Explain how the server would answer a request, and why; or how it divides its memory.",
    )
    .argument("[url]", "URL or path, such as /iiif/3/a.tif/full/max/0/default.jpg")
    .argument("[folder]", "folder of images, instead of a configuration")
    .addOption(configOption())
    .option("--do", "answer the request twice, and time it")
    .option("--budget", "show how the server divides its memory, instead of a request")
    .addOption(jsonOption())
    .action(async (url, folder, { budget, ...options }) => {
      if (budget) {
        if (url !== undefined || options.do)
          throw new UsageError("explain: expected --budget or a URL, got both");
        const { explainBudget } = await import("./explain-budget.ts");
        exit(await explainBudget(options, terminal));
        return;
      }
      if (url === undefined) throw new UsageError("explain: expected a URL, or --budget");
      const asked = requestOf(url);
      const { explain } = await import("./explain-request.ts");
      exit(await explain(asked, { folder, ...options }, terminal));
    });

const requestOf = (url: string): ExplainRequest => {
  const { authority, path, query } = parseTarget(url);
  if (!/^(?:https?:\/\/[^/]+)?\//i.test(url))
    throw new UsageError(
      `explain: expected a URL or a path such as /iiif/3/a.tif/full/max/0/default.jpg, got '${url}'`,
    );
  return {
    url: query === undefined ? path : `${path}?${query}`,
    host: authority ?? "localhost",
  };
};
