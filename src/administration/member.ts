import type { Traffic } from "../core/source.ts";
import type { PyramidPage, PyramidsListed } from "../service/pyramids.ts";
import type { Sample } from "./sample.ts";
import type { FormatStatus, SourceStatus, WorkerStatus } from "./status.ts";
import type { Removal, TaskRequest } from "./task.ts";
import type { TaskProgress } from "./tasks.ts";

/** A serving process as the hub sees it; may be this one. */
export interface Member {
  sample(): Promise<Sample>;
  /** `shared`: whether to check what all processes share, too. */
  status(shared: boolean): Promise<WorkerStatus>;
  formats(): Promise<readonly FormatStatus[]>;
  /**
   * Purges what a task names: `everywhere`, or only in this process, where another one purges
   * shared caches.
   */
  purge(request: TaskRequest, where: PurgePlace): Promise<Removal>;
  /** Makes the pyramids that a task names, and waits for them; `id` names it in `making`. */
  makePyramids(id: string, request: TaskRequest): Promise<TaskProgress>;
  /** The progress of a task that makes pyramids; undefined if this process does not run it. */
  making(id: string): Promise<TaskProgress | undefined>;
  /** Aborts a task that makes pyramids, if it is running. */
  stopMaking(id: string): Promise<void>;
  /** Stored pyramids, and those that this process makes. */
  pyramids(query: PyramidPage): Promise<PyramidsListed>;
  /** Images read recently, for health checks. */
  served(): Promise<readonly ServedImage[]>;
  /** The sources as this process sees them. */
  sources(): Promise<readonly SourceStatus[]>;
  /**
   * This process's requests to the server of an image in a version; undefined where there were
   * none.
   */
  traffic(identifier: string, version: string): Promise<Traffic | undefined>;
  /** An image's derivatives in the memory of this process. */
  inMemory(identifier: string): Promise<HeldAmount>;
  /**
   * Applies run-time changes of the configuration that its files do not have; earlier ones that are
   * missing here are in the files.
   */
  adopt(changes: RuntimeChanges): Promise<void>;
}

export type PurgePlace = "everywhere" | "own";

/** Run-time changes of the configuration, as the text of each key. */
export type RuntimeChanges = ReadonlyMap<string, string>;

/** An image that was read: its format and source. */
export interface ServedImage {
  /** The kind of source, by its name in the configuration. */
  readonly source: string;
  readonly format: string;
  readonly identifier: string;
}

/** An amount held. */
export interface HeldAmount {
  readonly entries: number;
  readonly bytes: number;
}
