import cluster from "node:cluster";
import { Calls } from "../administration/calls.ts";
import type { WorkerDeath } from "../service/quarantine.ts";
import { type FromWorker, isFromSupervisor } from "./messages.ts";

/** The supervisor, as a worker sees it. */
export interface Superior {
  /** Aborts when the supervisor wants the worker to end. */
  readonly stopped: AbortSignal;
  /** Tells the supervisor something; answers whether it has been taken. */
  tell(message: FromWorker): boolean;
  /** Calls between this process and the supervisor. */
  readonly calls: Calls;
  /** Calls back for each worker that died, and each decoder that another one lost, at once for those that the supervisor has told of already. */
  onDeath(told: (death: WorkerDeath) => void): void;
  /** Takes leave: the process ends as soon as nothing of it is under way, or shortly after. */
  leave(): void;
}

/** Whether this process is a worker of a supervisor. */
export const isWorker = (): boolean => cluster.isWorker;

/**
 * Begins to give signs of life to the supervisor and to listen to it. When the supervisor is gone
 * the process ends at once: nobody would look after it.
 */
export const meetSuperior = (): Superior => {
  const stop = new AbortController();
  let unsent = 0;
  const tell = (message: FromWorker): boolean => {
    if (!process.connected || unsent >= mostUnsent) return false;
    unsent++;
    process.send?.(message, undefined, {}, () => {
      unsent--;
    });
    return true;
  };
  const deaths: WorkerDeath[] = [];
  const listeners: ((death: WorkerDeath) => void)[] = [];
  const calls = new Calls(tell);
  process.on("message", (message: unknown) => {
    if (calls.hear(message) || !isFromSupervisor(message)) return;
    if (message.kind === "stop") {
      stop.abort();
      return;
    }
    if (message.kind !== "deaths") return;
    for (const death of message.deaths) {
      for (const told of listeners) told(death);
      // Who listens first is told of those that came before; nobody else does.
      if (listeners.length === 0) deaths.push(death);
    }
  });
  // At once, since whoever speaks is told what came before him.
  tell({ kind: "alive" });
  const living = setInterval(() => tell({ kind: "alive" }), signMs);
  living.unref();
  return {
    stopped: stop.signal,
    tell,
    calls,
    onDeath(told) {
      listeners.push(told);
      for (const death of deaths.splice(0)) told(death);
    },
    leave: () => {
      calls.close();
      clearInterval(living);
      setTimeout(() => process.exit(), leaveMs).unref();
      cluster.worker?.disconnect();
    },
  };
};

/** Between two signs of life, in milliseconds. */
const signMs = 500;

/** The most messages that may be on their way; what comes on top is lost. */
const mostUnsent = 1_000;

/** What is still being drawn for nobody may not keep the process longer than this, in milliseconds. */
const leaveMs = 500;
