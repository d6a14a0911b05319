import type { Failure } from "../core/errors.ts";

/** The kinds of tasks. */
export const verbs = [
  "PurgeCache",
  "PurgeInfoCache",
  "PurgeInfosFromCache",
  "PurgeInvalidFromCache",
  "PurgeItemFromCache",
  "MakePyramid",
  "MakePyramids",
  "PurgePyramid",
  "PurgePyramids",
] as const;
export type Verb = (typeof verbs)[number];

/** Whether tasks of this kind concern one image, which `identifier` names. */
export const isOfOneImage = (verb: Verb): boolean => ofOneImage.has(verb);

const ofOneImage: ReadonlySet<Verb> = new Set([
  "PurgeItemFromCache",
  "MakePyramid",
  "PurgePyramid",
]);

/** Whether tasks of this kind make pyramids, in one process and possibly for days. */
export const isMaking = (verb: Verb): boolean => verb === "MakePyramid" || verb === "MakePyramids";

/** A requested task. */
export interface TaskRequest {
  readonly verb: Verb;
  /** The image's decoded identifier, without a page; with verbs that concern one image only. */
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
  /** The pyramids made so far; only with verbs that make some. */
  readonly pyramids?: PyramidCounts;
  /** Set if it was cancelled; its status is then `FAILED`. */
  readonly cancelled?: true;
  /** Why it failed; written for whoever requested it. */
  readonly exception?: { readonly failure: Failure; readonly message: string };
}

/** Entries of caches, including copies of source files and pyramids. */
export interface Removal {
  readonly entries: number;
}

/** The counts of a task that makes pyramids. */
export interface PyramidCounts {
  /** Processed images. */
  readonly images: number;
  /** All images of the task; absent while they are being counted and if there are too many. */
  readonly of?: number;
  /** Pages whose pyramid was made. */
  readonly made: number;
  /** Pages that already had one. */
  readonly ready: number;
  /** Pages that need none. */
  readonly unneeded: number;
  /** Pages that were refused one. */
  readonly refused: number;
  /** Images that could not be read. */
  readonly failed: number;
  /** Why pages were refused and images failed; the latest 20. */
  readonly reasons: readonly { readonly identifier: string; readonly reason: string }[];
}
