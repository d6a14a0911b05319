import type { Failure } from "../../core/errors.ts";

/** What a thread of a pool is sent. */
export interface JobMessage<Job> {
  readonly id: number;
  readonly job: Job;
}

/** Why a job has no outcome. */
export interface Damage {
  readonly message: string;
  /** Where the job ended by `fail`. */
  readonly failure?: Failure;
}

/** What a thread sends back: once that it is ready, and for each job what came of it. */
export type ThreadMessage<Outcome> =
  | { readonly ready: true }
  /** It holds more memory than it may keep. */
  | { readonly worn: true }
  | { readonly id: number; readonly outcome: Outcome }
  | { readonly id: number; readonly damage: Damage };
