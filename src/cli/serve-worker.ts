import { createApp } from "../app.ts";
import type { Environment } from "../config/environment.ts";
import type { ConfigFile } from "../config/file.ts";
import { workerCountVariable, workerNumberVariable } from "../supervisor/supervise.ts";
import { meetSuperior } from "../supervisor/worker.ts";
import { workerLogs } from "../supervisor/worker-logs.ts";
import type { ExitCode, Terminal } from "./command.ts";

/** Serves as one of several workers, until the supervisor or a signal says stop. */
export const serveAsWorker = async (
  loaded: ConfigFile,
  env: Environment,
  terminal: Terminal,
): Promise<ExitCode> => {
  const superior = meetSuperior();
  const logs = workerLogs(loaded.config, superior);
  try {
    const workers = Number(env[workerCountVariable] ?? 1);
    const worker = Number(env[workerNumberVariable] ?? 1);
    const app = await createApp({ config: loaded.config, logs, workers, worker });
    try {
      superior.tell({ kind: "ready", addresses: await app.listen() });
      await aborted(AbortSignal.any([superior.stopped, terminal.signal]));
      return 0;
    } finally {
      await app.close();
    }
  } finally {
    await loaded.close();
    await logs.close();
    superior.leave();
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
