import type { Failure } from "../../core/errors.ts";

/** A message to a thread of a pool. */
export interface JobMessage<Job> {
  readonly id: number;
  readonly job: Job;
}

/** Why a job has no result. */
export interface Damage {
  readonly message: string;
  /** Where the job ended by `fail`. */
  readonly failure?: Failure;
}

/** A thread's messages: once that it is ready, and for each job its result. */
export type ThreadMessage<Outcome> =
  | { readonly ready: true }
  /** It holds more memory than it may keep. */
  | { readonly worn: true }
  /** What a job has so far. */
  | { readonly id: number; readonly interim: Outcome }
  | { readonly id: number; readonly outcome: Outcome }
  | { readonly id: number; readonly damage: Damage };
