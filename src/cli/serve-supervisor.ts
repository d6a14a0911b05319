import { type Environment, variableOf } from "../config/environment.ts";
import type { ConfigFile } from "../config/file.ts";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import { endingKeys } from "../http/ending.ts";
import { httpKeys } from "../http/keys.ts";
import { createLogs, type Logs } from "../logging/logs.ts";
import { mostClosingMs } from "../service/closing.ts";
import { admissionLimits, drawingKeys } from "../service/drawing.ts";
import { workerKeys } from "../supervisor/keys.ts";
import type { FromWorker } from "../supervisor/messages.ts";
import { supervise } from "../supervisor/supervise.ts";
import { workerEnvironment } from "../supervisor/worker-environment.ts";
import { workerCount } from "../supervisor/workers.ts";
import type { ExitCode, Terminal } from "./command.ts";

/** What the workers are started with. */
export interface Start {
  /** The command line of a worker, without the program. */
  readonly args: readonly string[];
  readonly env: Environment;
}

/** Serves through workers and looks after them until the terminal's signal aborts. */
export const serveThroughWorkers = async (
  loaded: ConfigFile,
  { args, env }: Start,
  terminal: Terminal,
): Promise<ExitCode> => {
  const { config } = loaded;
  const logs = createLogs(config);
  loaded.logTo(logs.application);
  const settings = config.view({ ...workerKeys, ...endingKeys });
  const workers = workerCount(settings(), machine());
  terminal.signal.addEventListener("abort", () => terminal.err("Stopping.\n"), { once: true });
  try {
    return await supervise({
      workers,
      args,
      env: workerEnvironment(env, {
        drawn: drawnIn(config, { workers }),
        allocator: settings()["http.allocator"],
      }),
      settings: () => ({
        workerTimeout: settings()["http.worker_timeout"],
        drainTimeout: settings()["http.drain_timeout"],
        closing: mostClosingMs(config) / 1_000,
      }),
      log: logs.application,
      signal: terminal.signal,
      serving: (addresses) => {
        for (const address of addresses) terminal.err(`Vitrine serves at ${address}\n`);
      },
      told: (worker, message) => write(logs, worker, message),
      hold: (addresses) => heldPorts(config, addresses),
    });
  } finally {
    await loaded.close();
    await logs.close();
  }
};

/** How many pictures one worker draws at the same time. */
const drawnIn = (config: Config, share: { readonly workers: number }): number => {
  const { small, large } = admissionLimits(config.view(drawingKeys)(), machine(), share);
  return small.running + large.running;
};

const write = (logs: Logs, worker: number, message: FromWorker): void => {
  if (message.kind === "entry")
    logs.application[message.level](message.message, { worker, ...message.fields });
  if (message.kind === "access") for (const entry of message.entries) logs.access(entry);
};

/** Where any free port would do, the one that clients know by now is the one to have again. */
const heldPorts = (config: Config, addresses: readonly string[]): Environment => {
  const settings = config.view(httpKeys)();
  const held = addresses.map((address) => {
    const { protocol, port } = new URL(address);
    const key = protocol === "https:" ? "https.port" : "http.port";
    return settings[key] === 0 ? [[variableOf(key), port]] : [];
  });
  return Object.fromEntries(held.flat());
};
