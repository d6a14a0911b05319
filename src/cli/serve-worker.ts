import type { Served } from "../administration/calls.ts";
import { remoteHub, servedMember } from "../administration/remote.ts";
import type { HubConnection } from "../app/administration.ts";
import { createApp } from "../app/app.ts";
import { memoryFor, shareMemory } from "../app/budget.ts";
import type { CrashReports } from "../app/protection.ts";
import type { Environment } from "../config/environment.ts";
import type { ConfigFile } from "../config/file.ts";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import { systemCallKeys } from "../config/system-call-keys.ts";
import { aborted } from "../core/abort.ts";
import type { Logger } from "../core/log.ts";
import { loadSystemCalls } from "../core/system-calls.ts";
import { threadKeys } from "../formats/shared/index.ts";
import type { Logs } from "../logging/logs.ts";
import { workerKeys } from "../supervisor/keys.ts";
import { notesOf } from "../supervisor/notes.ts";
import { exchangeThrough } from "../supervisor/overview-calls.ts";
import { mapShared } from "../supervisor/shared-memory.ts";
import type { SupervisorLink } from "../supervisor/worker.ts";
import { freeThreads, memoryVariable } from "../supervisor/worker-environment.ts";
import { workerLogs } from "../supervisor/worker-logs.ts";
import {
  sharedMemoryVariable,
  workerCountVariable,
  workerNotesVariable,
  workerNumberVariable,
} from "../supervisor/worker-variables.ts";
import type { ExitCode, Terminal } from "./command.ts";
import { lowerPool } from "./pool-priority.ts";

/** Serves as one of several workers, until the supervisor or a signal stops it. */
export const serveAsWorker = async (
  loaded: ConfigFile,
  { supervisorLink, env }: { readonly supervisorLink: SupervisorLink; readonly env: Environment },
  terminal: Terminal,
): Promise<ExitCode> => {
  const logs = workerLogs(loaded.config, supervisorLink);
  try {
    const workers = Number(env[workerCountVariable] ?? 1);
    const worker = Number(env[workerNumberVariable] ?? 1);
    const here = machine();
    const bytes = Number(env[memoryVariable] ?? memoryFor(loaded.config, here).bytes);
    shareMemory(loaded.config, { bytes }, { ...here, workers });
    freeThreads();
    await lowerDrawing(loaded.config, env);
    const trimming = trimMemory(loaded.config);
    const crashReports = crashReportsOf(supervisorLink, { env, worker, logs });
    const lending =
      workers > 1 ? exchangeThrough(supervisorLink.calls, logs.application) : undefined;
    const hubConnection = await hubConnectionOf(supervisorLink, loaded, {
      log: logs.application,
      served: lending?.served ?? {},
    });
    const app = await createApp({
      config: loaded.config,
      file: loaded,
      logs,
      workers,
      worker,
      crashReports,
      hubConnection,
      overviews: lending?.exchange,
      sharedBlocks: mapShared(env[sharedMemoryVariable], logs.application),
    });
    try {
      await app.ready();
      supervisorLink.serve({
        get open() {
          return app.connections;
        },
        take: app.take,
        release: app.release,
      });
      await aborted(AbortSignal.any([supervisorLink.stopped, terminal.signal]));
      return 0;
    } finally {
      supervisorLink.refuse();
      clearInterval(trimming);
      await app.close();
    }
  } finally {
    await loaded.close();
    await logs.close();
    supervisorLink.leave();
  }
};

/** The supervisor manages the whole server and knows of changes that the files do not have yet. */
const hubConnectionOf = async (
  { calls }: SupervisorLink,
  loaded: ConfigFile,
  { log, served }: { readonly log: Logger; readonly served: Served },
): Promise<HubConnection> => {
  const hub = remoteHub(calls);
  try {
    await loaded.adopt(await hub.runtime());
  } catch (error) {
    log.warn("Cannot get configuration changes that are not in a file yet", {
      error,
    });
  }
  return {
    join(member) {
      calls.serve({ ...servedMember(member), ...served });
      return hub;
    },
  };
};

/** The notes are in a file inherited from the supervisor. */
const crashReportsOf = (
  supervisorLink: SupervisorLink,
  {
    env,
    worker,
    logs,
  }: { readonly env: Environment; readonly worker: number; readonly logs: Logs },
): CrashReports => {
  const descriptor = env[workerNotesVariable];
  const broken = (error: unknown): void =>
    logs.application.warn("Notes of what this worker is doing can no longer be written", { error });
  return {
    journal: descriptor === undefined ? undefined : notesOf(Number(descriptor), worker, broken),
    tell: (news) => supervisorLink.tell(news),
    onCrash: (told) => supervisorLink.onCrash(told),
  };
};

/**
 * glibc's allocator keeps free memory between blocks in use indefinitely, and it grows over time.
 * Other allocators have nothing to return this way.
 */
const trimMemory = (config: Config): NodeJS.Timeout | undefined => {
  if (config.view(workerKeys)()["http.allocator"] === "system") return undefined;
  if (!config.view(systemCallKeys)()["processor.system_calls"]) return undefined;
  const calls = loadSystemCalls();
  return calls && setInterval(() => calls.trim(), trimmingMs).unref();
};

const trimmingMs = 30_000;

/**
 * The event loop takes precedence over rendering: libvips starts its threads from libuv's pool
 * threads.
 */
const lowerDrawing = async (config: Config, env: Environment): Promise<void> => {
  const niceness = config.view(threadKeys)()["processor.niceness"];
  if (niceness > 0) await lowerPool(poolSize(env["UV_THREADPOOL_SIZE"]), niceness);
};

/** The size of libuv's thread pool, which parses the leading number of the variable. */
const poolSize = (given: string | undefined): number => {
  if (given === undefined) return libuvsOwn;
  return Math.min(maxThreads, Math.max(1, Number.parseInt(given, 10) || 1));
};

/** Default and maximum size of libuv's thread pool. */
const libuvsOwn = 4;
const maxThreads = 1_024;
