import type { Socket } from "node:net";
import type { Environment } from "../config/environment.ts";
import type { Logger } from "../core/log.ts";
import type { Scheme } from "./handover.ts";
import type { FromSupervisor, FromWorker } from "./messages.ts";
import type { NoteFile } from "./notes.ts";
import type { StartWorker } from "./worker-process.ts";

/** What a supervisor goes by. */
export interface Supervision {
  readonly workers: number;
  readonly start: StartWorker;
  /** Variables for workers, beside those of this process. */
  readonly env: Environment;
  /** Seconds, as they are at the moment. */
  readonly settings: () => {
    readonly workerTimeout: number;
    readonly drainTimeout: number;
    /**
     * What a worker that has drained may take to let go of what it has, its cache on a disk
     * included.
     */
    readonly closing: number;
  };
  readonly log: Logger;
  /** Aborts when the server is to stop. */
  readonly signal: AbortSignal;
  /** Opens the ports, once the first worker serves; what arrives there is for workers. */
  readonly open: (arrived: (connection: Socket, scheme: Scheme) => void) => Promise<Ports>;
  /** Most connections that may wait for a worker to take them. */
  readonly maxWaiting: number;
  /** Called once, with the addresses to open, when they are. */
  readonly serving: (addresses: readonly string[]) => void;
  /** Takes the log messages of a worker, by the worker's number. */
  readonly told: (worker: number, message: FromWorker) => void;
  /** Is told of workers as they come and go. */
  readonly relations: Relations;
  /** Where workers note what they may die of; absent: nowhere. */
  readonly notes?: NoteFile;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** The ports that the server listens on. */
export interface Ports {
  /** To open in a browser. */
  readonly addresses: readonly string[];
  /** Stops listening. */
  close(): void;
}

/** What is told of workers, by their numbers. */
export interface Relations {
  /**
   * A worker was started; `send` reaches it as long as it is there, and answers whether it does.
   */
  came(worker: number, send: (message: FromSupervisor) => boolean): void;
  /** It serves from now on. */
  serves(worker: number): void;
  gone(worker: number): void;
}
