import cluster from "node:cluster";
import { type FromWorker, isFromSupervisor } from "./messages.ts";

/** The supervisor, as a worker sees it. */
export interface Superior {
  /** Aborts when the supervisor wants the worker to end. */
  readonly stopped: AbortSignal;
  /** Tells the supervisor something; answers whether it has been taken. */
  tell(message: FromWorker): boolean;
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
  process.on("message", (message: unknown) => {
    if (isFromSupervisor(message)) stop.abort();
  });
  const living = setInterval(() => tell({ kind: "alive" }), signMs);
  living.unref();
  return {
    stopped: stop.signal,
    tell,
    leave: () => {
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
