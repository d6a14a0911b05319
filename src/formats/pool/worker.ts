import { setPriority } from "node:os";
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { ServerError } from "../../core/errors.ts";
import { sendWith } from "./handing-over.ts";
import type { Damage, JobMessage, ThreadMessage } from "./messages.ts";

/** What a thread does with jobs. */
export interface JobHandler<Job, Outcome> {
  /** What a job throws is told to who asked, a failure as what it is. */
  readonly carryOut: (job: Job) => Outcome | Promise<Outcome>;
  /** Memory of the outcome that is handed over; none. */
  readonly transfer?: (outcome: Outcome) => readonly ArrayBuffer[];
  /**
   * Whether what a job threw has spoilt the thread, which then ends and is replaced; a fault of
   * WebAssembly has.
   */
  readonly isFatal?: (error: unknown) => boolean;
  /** Called after each answer. */
  readonly afterwards?: () => void;
}

/**
 * Returns the jobs of a pool, in the thread that calls this: the whole of a worker module is
 * `await answerJobs<Job, Outcome>(async (data) => ({ carryOut, … }))`, where `data` is what the
 * pool's limits have under that name. What `prepare` throws ends the thread.
 */
export const answerJobs = async <Job, Outcome>(
  prepare: (data: Readonly<Record<string, unknown>>) => Promise<JobHandler<Job, Outcome>>,
): Promise<void> => {
  const port = parentPort;
  if (port === null) throw new Error("Expected to be called in a thread of a pool.");
  if (process.platform === "linux" && typeof workerData.niceness === "number")
    // There it is the calling thread alone whose priority this is.
    setPriority(0, workerData.niceness);
  const { keep } = workerData;
  const isWorn = (): boolean => typeof keep === "number" && heldBytes() > keep;
  const work = await prepare(workerData);
  const isFatal = work.isFatal ?? isFault;
  const send = (message: ThreadMessage<Outcome>, memory: readonly ArrayBuffer[] = []): void =>
    sendWith(port, message, memory);
  port.on("message", async ({ id, job }: JobMessage<Job>) => {
    try {
      const outcome = await work.carryOut(job);
      send({ id, outcome }, work.transfer?.(outcome));
    } catch (error) {
      // Nobody catches it: the thread ends by it.
      if (isFatal(error)) throw error;
      send({ id, damage: damageOf(error) });
    }
    work.afterwards?.();
    if (isWorn()) send({ worn: true });
  });
  send({ ready: true });
};

/** What values of JavaScript and memory of WebAssembly take in this thread. */
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
