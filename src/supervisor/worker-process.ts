import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import type { Socket } from "node:net";
import { type Environment, environment } from "../config/environment.ts";
import type { HandedConnection } from "./handover.ts";
import type { FromSupervisor } from "./messages.ts";
import type { NoteFile } from "./notes.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { sharedMemoryVariable, workerNotesVariable } from "./worker-variables.ts";

/** A worker process. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Sends a message; returns whether it exists. The end of a dead one is reported. */
  tell(message: FromSupervisor): boolean;
  /** Sends it a connection, which stays open here; `failed` is called where that is impossible. */
  hand(connection: Socket, about: HandedConnection, failed: () => void): void;
  kill(signal: NodeJS.Signals): void;
}

/** Events of a worker's process. */
export interface WorkerEvents {
  /** It sent a message. */
  heard(message: unknown): void;
  /** No more messages can be exchanged with it. */
  parted(): void;
  /** It has exited. Some of its messages may arrive later. */
  ended(code: number | null, signal: NodeJS.Signals | null): void;
}

/** Starts a worker with these environment variables besides this process's. */
export type StartWorker = (variables: Environment, events: WorkerEvents) => WorkerProcess;

/** The options of worker processes. */
export interface WorkerStart {
  /** The command line of a worker. */
  readonly args: readonly string[];
  /** Node.js options besides this process's. */
  readonly nodeOptions: readonly string[];
  /** Where workers note what may crash them; absent: nowhere. */
  readonly notes: NoteFile | undefined;
  /** Memory that all workers share; absent: none. */
  readonly shared: SharedMemory | undefined;
}

/** The first inherited descriptor: the one after those of standard streams and messages. */
const firstDescriptor = 4;

/** Starts workers as processes of this program. */
export const workerProcesses =
  ({ args, nodeOptions, notes, shared }: WorkerStart): StartWorker =>
  (variables, events) => {
    const inherited: number[] = [];
    const inherit = (descriptor: number): number =>
      firstDescriptor + inherited.push(descriptor) - 1;
    const env = {
      ...environment(),
      ...variables,
      ...(notes && { [workerNotesVariable]: String(inherit(notes.descriptor)) }),
      ...(shared && { [sharedMemoryVariable]: `${inherit(shared.descriptor)} ${shared.bytes}` }),
    };
    const options: ForkOptions = {
      execArgv: [...process.execArgv, ...nodeOptions],
      env,
      serialization: "advanced",
      stdio: ["inherit", "inherit", "inherit", "ipc", ...inherited],
    };
    let child: ChildProcess;
    try {
      child = fork(process.argv[1] ?? "", args, options);
    } catch {
      // Some errors of starting a process are thrown, others emitted.
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
    // The only event for a worker that died with a connection on its way to it.
    child.once("close", part);
    child.once("exit", events.ended);
    child.on("error", () => {
      // A process that could not be started emits no exit; all others do.
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
    // Otherwise the processes notify each other of every such connection that ends, which nobody
    // needs.
    Reflect.set(connection, "server", null);
    child.send(message, connection, { keepOpen: true }, (error) => {
      if (error) failed();
    });
  },
  kill: (signal) => child.kill(signal),
});
