import type { Socket } from "node:net";
import type { Environment } from "../config/environment.ts";
import type { Logger } from "../core/log.ts";
import type { Scheme } from "./handover.ts";
import type { FromSupervisor, FromWorker } from "./messages.ts";
import type { NoteFile } from "./notes.ts";
import type { StartWorker } from "./worker-process.ts";

/** The options of a supervisor. */
export interface Supervision {
  readonly workers: number;
  readonly start: StartWorker;
  /** Environment variables for workers, besides this process's. */
  readonly env: Environment;
  /** The current time limits in seconds. */
  readonly settings: () => {
    readonly workerTimeout: number;
    readonly drainTimeout: number;
    /** Time a drained worker has to close everything, including its cache on a disk. */
    readonly closing: number;
  };
  readonly log: Logger;
  /** Aborts when the server is to stop. */
  readonly signal: AbortSignal;
  /** Opens the ports once the first worker serves; connections there are for workers. */
  readonly open: (arrived: (connection: Socket, scheme: Scheme) => void) => Promise<Ports>;
  /** Maximum number of connections that wait for a worker. */
  readonly maxWaiting: number;
  /** Called once, with the addresses to open, when they are open. */
  readonly serving: (addresses: readonly string[]) => void;
  /** Writes the log messages of a worker, by the worker's number. */
  readonly told: (worker: number, message: FromWorker) => void;
  /** Called as workers come and go. */
  readonly relations: Relations;
  /** Where workers note what may crash them; absent: nowhere. */
  readonly notes?: NoteFile;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** The ports that the server listens on. */
export interface Ports {
  /** To open in a browser. */
  readonly addresses: readonly string[];
  /** Stops listening. */
  close(): void;
}

/** Events of workers, by number. */
export interface Relations {
  /** A worker was started; `send` reaches it while it exists, and returns whether it does. */
  came(worker: number, send: (message: FromSupervisor) => boolean): void;
  /** It serves from now on. */
  serves(worker: number): void;
  gone(worker: number): void;
}
