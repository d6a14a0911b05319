import type { Failure } from "../core/errors.ts";

/** The kinds of tasks. */
export const verbs = [
  "PurgeCache",
  "PurgeInfoCache",
  "PurgeInfosFromCache",
  "PurgeInvalidFromCache",
  "PurgeItemFromCache",
] as const;
export type Verb = (typeof verbs)[number];

/** A requested task. */
export interface TaskRequest {
  readonly verb: Verb;
  /** The image's decoded identifier, without a page; with `PurgeItemFromCache` only. */
  readonly identifier?: string;
}

export type TaskState = "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED";

/** The state of a task. Kept in memory only. */
export interface Task extends TaskRequest {
  readonly uuid: string;
  readonly status: TaskState;
  readonly queuedAt: Date;
  readonly startedAt?: Date;
  readonly stoppedAt?: Date;
  /** Progress, 0 to 1. */
  readonly progress: number;
  /** Number of removed entries so far. */
  readonly removed: Removal;
  /** Why it failed; written for whoever requested it. */
  readonly exception?: { readonly failure: Failure; readonly message: string };
}

/** Entries of caches, including copies of source files. */
export interface Removal {
  readonly entries: number;
}
