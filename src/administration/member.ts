import type { Traffic } from "../core/source.ts";
import type { Sample } from "./sample.ts";
import type { FormatStatus, SourceStatus, WorkerStatus } from "./status.ts";
import type { Removal, TaskRequest } from "./task.ts";

/** A process that serves, as what looks after all of them sees it; it may be this one. */
export interface Member {
  sample(): Promise<Sample>;
  /** `shared`: whether what all processes share is to be looked at, too. */
  status(shared: boolean): Promise<WorkerStatus>;
  formats(): Promise<readonly FormatStatus[]>;
  /**
   * Removes what a task is about: `everywhere`, or only from what this process has of its own,
   * where another one sees to what all share.
   */
  purge(request: TaskRequest, where: PurgePlace): Promise<Removal>;
  /** What was read of late, for others to try. */
  served(): Promise<readonly ServedImage[]>;
  /** The sources as this process finds them. */
  sources(): Promise<readonly SourceStatus[]>;
  /**
   * What this process asked of the server of an image, of which it knows this version; undefined
   * where it did not.
   */
  traffic(identifier: string, version: string): Promise<Traffic | undefined>;
  /** Finished images of an image in the memory of this process. */
  inMemory(identifier: string): Promise<Held>;
  /**
   * Takes over changes of the configuration that its files do not have; what is not among them any
   * more, they have.
   */
  adopt(changes: RuntimeChanges): Promise<void>;
}

export type PurgePlace = "everywhere" | "own";

/** Changes of the configuration at run time, as the text of each key. */
export type RuntimeChanges = ReadonlyMap<string, string>;

/** An image that was read: of a format, from a source. */
export interface ServedImage {
  /** The kind of source, as the configuration calls it. */
  readonly source: string;
  readonly format: string;
  readonly identifier: string;
}

/** How much is held of something. */
export interface Held {
  readonly entries: number;
  readonly bytes: number;
}
