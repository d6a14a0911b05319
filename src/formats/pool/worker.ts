import { setPriority } from "node:os";
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { ServerError } from "../../core/errors.ts";
import { sendWith } from "./handing-over.ts";
import type { Damage, JobMessage, ThreadMessage } from "./messages.ts";

/** A thread's handling of jobs. */
export interface JobHandler<Job, Outcome> {
  /**
   * The caller gets what a job throws, an error of ours as it is. Whatever the job passes to `report`
   * reaches the caller at once, before the outcome.
   */
  readonly carryOut: (job: Job, report: (interim: Outcome) => void) => Outcome | Promise<Outcome>;
  /** Memory of a result that is transferred; default none. */
  readonly transfer?: (outcome: Outcome) => readonly ArrayBuffer[];
  /**
   * Whether a job's exception may have corrupted the thread, which then ends and is replaced; a
   * WebAssembly trap has.
   */
  readonly isFatal?: (error: unknown) => boolean;
  /** Called after each answer. */
  readonly afterwards?: () => void;
}

/**
 * Answers the jobs of a pool, in the calling thread: the whole of a worker module is `await
 * answerJobs<Job, Outcome>(async (data) => ({ carryOut, … }))`, where `data` comes from the pool's
 * limits. An exception of `prepare` ends the thread.
 */
export const answerJobs = async <Job, Outcome>(
  prepare: (data: Readonly<Record<string, unknown>>) => Promise<JobHandler<Job, Outcome>>,
): Promise<void> => {
  const port = parentPort;
  if (port === null) throw new Error("This module runs only in a thread of a pool.");
  if (process.platform === "linux" && typeof workerData.niceness === "number")
    // On Linux this changes the priority of the calling thread alone.
    setPriority(0, workerData.niceness);
  const { keep } = workerData;
  const isWorn = (): boolean => typeof keep === "number" && heldBytes() > keep;
  const work = await prepare(workerData);
  const isFatal = work.isFatal ?? isFault;
  const send = (message: ThreadMessage<Outcome>, memory: readonly ArrayBuffer[] = []): void =>
    sendWith(port, message, memory);
  port.on("message", async ({ id, job }: JobMessage<Job>) => {
    try {
      const outcome = await work.carryOut(job, (interim) =>
        send({ id, interim }, work.transfer?.(interim)),
      );
      send({ id, outcome }, work.transfer?.(outcome));
    } catch (error) {
      // Uncaught: it ends the thread.
      if (isFatal(error)) throw error;
      send({ id, damage: damageOf(error) });
    }
    work.afterwards?.();
    if (isWorn()) send({ worn: true });
  });
  send({ ready: true });
};

/** Heap and WebAssembly memory of this thread. */
const heldBytes = (): number => {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
};

const isFault = (error: unknown): boolean =>
  error instanceof Error && error.name === "RuntimeError";

const damageOf = (error: unknown): Damage => {
  if (error instanceof ServerError) return { message: error.message, failure: error.failure };
  return { message: error instanceof Error ? error.message : "unknown" };
};
