import { setMaxListeners } from "node:events";
import { WorkBudget } from "./work-budget.ts";

/** Tells the work of a decoding that nobody waits any more. */
export interface Stop {
  readonly signal: AbortSignal;
  /** Shared memory: nonzero once nobody waits. */
  readonly left: Int32Array;
}

/** For work that nothing stops. Created once for all of it: both parts are expensive. */
export const unstoppable = (): Stop => ({
  signal: new AbortController().signal,
  left: new Int32Array(new SharedArrayBuffer(4)),
});

/** Stops the work of one decoding. */
export class Stopping implements Stop {
  readonly left = new Int32Array(new SharedArrayBuffer(4));
  readonly signal: AbortSignal;
  /** The limit of one result applies to all of its tiles together. */
  readonly workBudget: WorkBudget;
  readonly #controller = new AbortController();

  constructor() {
    this.signal = this.#controller.signal;
    this.workBudget = new WorkBudget(this.signal);
    // Several tiles are read concurrently, each by several reads.
    setMaxListeners(0, this.signal);
  }

  stop(reason: unknown): void {
    Atomics.store(this.left, 0, 1);
    this.#controller.abort(reason);
  }
}

/** What stops a piece of work, and its limit. */
export interface WorkLimits extends Stop {
  readonly workBudget: WorkBudget;
}
