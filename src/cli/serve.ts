import { parseArgs } from "node:util";
import { environment } from "../config/environment.ts";
import { isWorker } from "../supervisor/worker.ts";
import { type Command, UsageError } from "./command.ts";
import { configure } from "./configuration.ts";
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
    const env = environment();
    const found = await configure(
      { command: "serve", folder, config: values.config },
      env,
      terminal,
    );
    if (found === undefined) {
      terminal.err("The server was not started. 'vitrine config check' tells more.\n");
      return 2;
    }
    if (isWorker()) return serveAsWorker(found.loaded, env, terminal);
    return serveThroughWorkers(found.loaded, { args: ["serve", ...found.args], env }, terminal);
  },
};
