import { Socket } from "node:net";
import { Calls } from "../administration/calls.ts";
import { environment } from "../config/environment.ts";
import type { WorkerCrash } from "../service/quarantine.ts";
import { type FromSupervisor, type FromWorker, isFromSupervisor } from "./messages.ts";
import { type Clients, Reception } from "./reception.ts";
import { workerNumberVariable } from "./worker-variables.ts";

/** The supervisor, as a worker sees it. */
export interface SupervisorLink {
  /** Aborts when the supervisor wants the worker to shut down. */
  readonly stopped: AbortSignal;
  /** Sends the supervisor a message; returns whether it was accepted. */
  tell(message: FromWorker): boolean;
  /** Calls between this process and the supervisor. */
  readonly calls: Calls;
  /**
   * Calls back for each worker that died, and each decoder that another one lost, at once for those
   * already reported.
   */
  onCrash(told: (death: WorkerCrash) => void): void;
  /** Accepts connections from now on. */
  serve(clients: Clients): void;
  /** Accepts no more connections. */
  refuse(): void;
  /** Disconnects: the process ends as soon as nothing is running, or shortly after. */
  leave(): void;
}

/** Whether this process is a worker of a supervisor. */
export const isWorker = (): boolean =>
  process.send !== undefined && environment()[workerNumberVariable] !== undefined;

/**
 * Begins to send heartbeats to the supervisor and to listen to it. When the supervisor is gone the
 * process exits at once, since nobody would supervise it.
 */
export const connectToSupervisor = (): SupervisorLink => {
  const stop = new AbortController();
  let unsent = 0;
  const send = (message: FromWorker): void => {
    unsent++;
    process.send?.(message, undefined, {}, () => {
      unsent--;
    });
  };
  const tell = (message: FromWorker): boolean => {
    if (!process.connected || unsent >= maxUnsent) return false;
    send(message);
    return true;
  };
  const deaths: WorkerCrash[] = [];
  const listeners: ((death: WorkerCrash) => void)[] = [];
  const calls = new Calls(tell);
  const reception = new Reception((message) => {
    if (process.connected) send(message);
  });
  const recordCrash = (death: WorkerCrash): void => {
    for (const told of listeners) told(death);
    // Only the first listener gets the earlier events.
    if (listeners.length === 0) deaths.push(death);
  };
  const hear = (message: FromSupervisor, handle: unknown): void => {
    if (message.kind === "stop") stop.abort();
    else if (message.kind === "connection")
      reception.receive(message, handle instanceof Socket ? handle : undefined);
    else if (message.kind === "asked") reception.asked(message.id);
    else if (message.kind === "release") reception.release(message.connections);
    else if (message.kind === "deaths") message.deaths.forEach(recordCrash);
  };
  process.on("message", (message: unknown, handle: unknown) => {
    if (!calls.hear(message) && isFromSupervisor(message)) hear(message, handle);
  });
  let isLeaving = false;
  const end = (): void => {
    // An ordinary exit would wait for the rendering threads, which may take minutes.
    if (!isLeaving) process.kill(process.pid, "SIGKILL");
  };
  process.once("disconnect", end);
  if (!process.connected) end();
  const live = (): boolean => tell({ kind: "alive", open: reception.open });
  // At once, since the first message is answered with earlier events.
  live();
  const living = setInterval(live, signMs);
  living.unref();
  return {
    stopped: stop.signal,
    tell,
    calls,
    onCrash(told) {
      listeners.push(told);
      for (const death of deaths.splice(0)) told(death);
    },
    serve(clients) {
      reception.clients = clients;
      if (process.connected) send({ kind: "ready" });
    },
    refuse() {
      reception.clients = undefined;
      tell({ kind: "leaving" });
    },
    leave: () => {
      calls.close();
      clearInterval(living);
      isLeaving = true;
      setTimeout(() => process.exit(), leaveMs).unref();
      if (process.connected) process.disconnect();
    },
  };
};

/** Interval of heartbeats in milliseconds. */
const signMs = 500;

/** Maximum number of messages in flight; further ones are lost. */
const maxUnsent = 1_000;

/** Milliseconds for which renders that nobody waits for may delay the exit. */
const leaveMs = 500;
