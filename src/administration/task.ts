import type { Failure } from "../core/errors.ts";

/** The kinds of task there are. */
export const verbs = [
  "PurgeCache",
  "PurgeInfoCache",
  "PurgeInfosFromCache",
  "PurgeInvalidFromCache",
  "PurgeItemFromCache",
] as const;
export type Verb = (typeof verbs)[number];

/** What is to be done. */
export interface TaskRequest {
  readonly verb: Verb;
  /** Of the image, decoded, without a page; with `PurgeItemFromCache` only. */
  readonly identifier?: string;
}

export type TaskState = "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED";

/** A task, as it stands. Kept in memory only. */
export interface Task extends TaskRequest {
  readonly uuid: string;
  readonly status: TaskState;
  readonly queuedAt: Date;
  readonly startedAt?: Date;
  readonly stoppedAt?: Date;
  /** What part of it is done, 0 to 1. */
  readonly progress: number;
  /** What it has removed so far. */
  readonly removed: Removal;
  /** Why it failed; written to be read by whoever began it. */
  readonly exception?: { readonly failure: Failure; readonly message: string };
}

/** Entries of caches, and copies of source files among them. */
export interface Removal {
  readonly entries: number;
}
