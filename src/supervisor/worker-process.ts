import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import type { Socket } from "node:net";
import { type Environment, environment } from "../config/environment.ts";
import type { Handed } from "./handover.ts";
import type { FromSupervisor } from "./messages.ts";
import type { NoteFile } from "./notes.ts";
import { workerNotesVariable } from "./worker-variables.ts";

/** A worker, as a process. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Tells it something; whether it is there. One that is gone has its end told of. */
  tell(message: FromSupervisor): boolean;
  /** Sends it a connection, which stays open here; `failed` is called where that cannot be done. */
  hand(connection: Socket, about: Handed, failed: () => void): void;
  kill(signal: NodeJS.Signals): void;
}

/** What is told of a worker's process. */
export interface WorkerEvents {
  /** It said something. */
  heard(message: unknown): void;
  /** Nothing more can be said to it or heard of it. */
  parted(): void;
  /** It is no more. Some of what it said may be heard later. */
  ended(code: number | null, signal: NodeJS.Signals | null): void;
}

/** Starts a worker, with these variables beside those of this process. */
export type StartWorker = (variables: Environment, events: WorkerEvents) => WorkerProcess;

/** What processes of workers are started with. */
export interface WorkerStart {
  /** The command line that makes a worker of this program. */
  readonly args: readonly string[];
  /** Options of Node.js, beside those that this process has. */
  readonly nodeOptions: readonly string[];
  /** Where workers note what they may die of; absent: nowhere. */
  readonly notes: NoteFile | undefined;
}

/**
 * The descriptor that the file has in workers: the one after those of standard streams and
 * messages.
 */
const notesDescriptor = 4;

/** Starts workers as processes of this program. */
export const workerProcesses =
  ({ args, nodeOptions, notes }: WorkerStart): StartWorker =>
  (variables, events) => {
    const env = {
      ...environment(),
      ...variables,
      ...(notes ? { [workerNotesVariable]: String(notesDescriptor) } : {}),
    };
    const options: ForkOptions = {
      execArgv: [...process.execArgv, ...nodeOptions],
      env,
      serialization: "advanced",
      stdio: ["inherit", "inherit", "inherit", "ipc", ...(notes ? [notes.descriptor] : [])],
    };
    let child: ChildProcess;
    try {
      child = fork(process.argv[1] ?? "", args, options);
    } catch {
      // Some reasons for which no process can be started are thrown, others told of.
      setImmediate(() => events.ended(null, null));
      return nobody;
    }
    let isParted = false;
    const part = (): void => {
      if (!isParted) events.parted();
      isParted = true;
    };
    child.on("message", events.heard);
    child.once("disconnect", part);
    // Of a worker that died with a connection on its way to it, this alone is told.
    child.once("close", part);
    child.once("exit", events.ended);
    child.on("error", () => {
      // One that could not be started does not end either; of all others the end is told, too.
      if (child.pid === undefined) events.ended(null, null);
    });
    return processOf(child);
  };

/** A worker that could not be started. */
const nobody: WorkerProcess = {
  pid: undefined,
  tell: () => false,
  hand: (_connection, _about, failed) => failed(),
  kill: () => {},
};

const processOf = (child: ChildProcess): WorkerProcess => ({
  pid: child.pid,
  tell(message) {
    if (!child.connected) return false;
    child.send(message, () => {});
    return true;
  },
  hand(connection, about, failed) {
    const message: FromSupervisor = { kind: "connection", ...about };
    // Else Node.js has each process tell the other of every such connection that ends, which nobody
    // asks for.
    Reflect.set(connection, "server", null);
    child.send(message, connection, { keepOpen: true }, (error) => {
      if (error) failed();
    });
  },
  kill: (signal) => child.kill(signal),
});
