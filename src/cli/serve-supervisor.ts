import { randomBytes } from "node:crypto";
import { forwardedAddressWarning } from "../administration/forwarded-address.ts";
import { createHub } from "../administration/hub.ts";
import { latestKeys } from "../administration/keys.ts";
import { wantsLevel } from "../administration/log-levels.ts";
import { LogTail } from "../administration/log-tail.ts";
import { servedHub } from "../administration/remote.ts";
import {
  budgetWarnings,
  configuredWorkers,
  memoryFor,
  memoryShortage,
  shareMemory,
} from "../app/budget.ts";
import { openPorts } from "../app/listening.ts";
import { descriptorLimit } from "../config/descriptors.ts";
import type { Environment } from "../config/environment.ts";
import type { ConfigFile } from "../config/file.ts";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import { connectionKeys, maxByDescriptors } from "../http/connection/connection-limit.ts";
import { shutdownKeys } from "../http/connection/shutdown.ts";
import { loggingKeys } from "../logging/keys.ts";
import { createLogs, type Logs } from "../logging/logs.ts";
import { maxClosingMs as maxJobClosingMs, pyramidKeys } from "../pyramids/keys.ts";
import { maxClosingMs } from "../service/closing.ts";
import { admissionLimits, drawingKeys } from "../service/drawing.ts";
import { unusableSource } from "../sources/choosing.ts";
import { workerKeys } from "../supervisor/keys.ts";
import type { FromWorker } from "../supervisor/messages.ts";
import { type NoteFile, openNotes } from "../supervisor/notes.ts";
import { servedClaims } from "../supervisor/overview-calls.ts";
import { allocateShared } from "../supervisor/shared-memory.ts";
import { supervise } from "../supervisor/supervise.ts";
import { WorkerCalls } from "../supervisor/worker-calls.ts";
import {
  memoryVariable,
  workerEnvironment,
  workerNodeOptions,
} from "../supervisor/worker-environment.ts";
import { workerProcesses } from "../supervisor/worker-process.ts";
import { cursorSecretVariable } from "../supervisor/worker-variables.ts";
import { budgetFields } from "./budget-report.ts";
import { type ExitCode, type Terminal, writeError } from "./command.ts";

/** The environment and command line of workers. */
export interface Start {
  /** The command line of a worker, without the program. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** Variables of `env` that the environment of this process does not have. */
  readonly variables: Environment;
  /** Called with the served addresses once they are open. */
  readonly serving: (addresses: readonly string[]) => void;
}

/** Serves through workers and supervises them until the terminal's signal aborts. */
export const serveThroughWorkers = async (
  loaded: ConfigFile,
  { args, env, variables, serving }: Start,
  terminal: Terminal,
): Promise<ExitCode> => {
  const { config } = loaded;
  const here = machine();
  const memory = memoryFor(config, here);
  // Workers continue without it: it may return.
  const lacking = memoryShortage(memory) ?? (await unusableSource(config));
  if (lacking !== undefined) {
    writeError(terminal, lacking);
    terminal.err("The server was not started. Run 'vitrine config check' for details.\n");
    await loaded.close();
    return 2;
  }
  const workers = configuredWorkers(config, memory, here);
  const budget = shareMemory(config, memory, { ...here, workers });
  const logs = createLogs(config);
  const settings = config.view({ ...workerKeys, ...shutdownKeys });
  terminal.signal.addEventListener("abort", () => terminal.err("Stopping.\n"), { once: true });
  const notes = notesFor(workers, logs.application);
  const shared = allocateShared(config, workers, logs.application);
  const latest = config.view({ ...latestKeys, ...loggingKeys });
  const tail = new LogTail(() => latest()["log.application.latest"]);
  const log = tail.keeping(logs.application, (level) =>
    wantsLevel(latest()["log.application.level"], level),
  );
  loaded.logTo(log);
  tellOfCompatibility(loaded, log);
  const forwarded = forwardedAddressWarning(config);
  if (forwarded !== undefined) log.warn(forwarded);
  const memoryWarnings = (): readonly string[] => budgetWarnings(config, here, workers);
  log.info("Memory budget (vitrine explain --budget shows its parts)", budgetFields(budget));
  for (const warning of memoryWarnings()) log.warn(warning);
  const descriptors = descriptorLimit();
  const wanted = config.view(connectionKeys)()["http.max_connections"];
  if (wanted > workers * maxByDescriptors(descriptors))
    log.warn(
      "http.max_connections is more than the descriptors of the workers allow: raise the limit of open files (ulimit -n)",
      { wanted, max: workers * maxByDescriptors(descriptors), descriptors },
    );
  const hub = createHub({
    members: () => relations.members,
    wanted: workers,
    config,
    file: loaded,
    tail,
    log,
    memoryWarnings,
  });
  const claims = servedClaims((worker) => relations.to(worker), log);
  const relations = new WorkerCalls(
    (worker) => ({ ...servedHub(hub), ...claims(worker) }),
    (member) => void hub.greet(member),
  );
  try {
    return await supervise({
      workers,
      start: workerProcesses({
        args,
        nodeOptions: workerNodeOptions({
          ...{ workers, processors: here.processors, heap: budget.heap },
          given: [...process.execArgv, env["NODE_OPTIONS"] ?? ""],
        }),
        notes,
        shared,
      }),
      env: {
        ...variables,
        ...workerEnvironment(env, {
          drawn: drawnIn(config, { workers }),
          allocator: settings()["http.allocator"],
        }),
        [memoryVariable]: String(memory.bytes),
        [cursorSecretVariable]: randomBytes(32).toString("hex"),
      },
      settings: () => ({
        workerTimeout: settings()["http.worker_timeout"],
        drainTimeout: settings()["http.drain_timeout"],
        closing: (maxClosingMs(config) + pyramidsClosingMs(config)) / 1_000,
      }),
      log,
      signal: terminal.signal,
      open: (arrived) => openPorts(config, { log, paused: true, arrived }),
      maxWaiting: Math.min(maxWaiting, maxByDescriptors(descriptors)),
      serving: (addresses) => {
        for (const address of addresses) terminal.err(`Vitrine serves at ${address}\n`);
        serving(addresses);
      },
      relations,
      told: (worker, message) => {
        relations.hear(worker, message);
        write({ log, access: logs.access }, worker, message);
      },
      ...(notes ? { notes } : {}),
    });
  } finally {
    notes?.close();
    shared?.close();
    await hub.close();
    await loaded.close();
    await logs.close();
  }
};

/** Maximum number of connections that wait for a worker. */
const maxWaiting = 4_096;

/** The server works without them, too: it then forgets what its workers crashed on. */
const notesFor = (workers: number, log: Logger): NoteFile | undefined => {
  try {
    return openNotes(workers);
  } catch (error) {
    log.warn(
      "Notes of what workers are doing cannot be written: their crashes will not be explained",
      {
        error,
      },
    );
    return undefined;
  }
};

/** Maximum number of concurrent renders in one worker. */
const drawnIn = (config: Config, share: { readonly workers: number }): number => {
  const { small, large } = admissionLimits(config.view(drawingKeys)(), machine(), share);
  return small.running + large.running;
};

const write = (
  { log, access }: { readonly log: Logger; readonly access: Logs["access"] },
  worker: number,
  message: FromWorker,
): void => {
  if (message.kind === "entry") log[message.level](message.message, { worker, ...message.fields });
  if (message.kind === "access") for (const entry of message.entries) access(entry);
};

/** Logs that the server behaves as Cantaloupe does, and which values could not be taken over. */
const tellOfCompatibility = ({ compatible, running }: ConfigFile, log: Logger): void => {
  if (compatible === undefined) return;
  log.info(
    "The server behaves like Cantaloupe; 'vitrine config migrate' converts the configuration with all of that spelled out, and compatibility = none turns it off",
    { because: compatible },
  );
  for (const { message, givenWay } of running.warnings) if (givenWay) log.error(message);
};

/** Maximum milliseconds that closing waits for pyramids being made. */
const pyramidsClosingMs = (config: Config): number =>
  config.view(pyramidKeys)()["pyramids.enabled"] ? maxJobClosingMs : 0;
