import type { AdmissionCounts } from "../core/admission-counts.ts";
import type { LaneLoad } from "../core/lane.ts";
import type { OriginState } from "../core/source.ts";

/** The current status of the server, all of its processes together. */
export interface Status {
  /** Version of Vitrine, as in `0.1.0`. */
  readonly version: string;
  /** When the first of its processes started. */
  readonly startedAt: Date;
  readonly uptimeMs: number;
  /** By number; workers that did not answer in time are left out. */
  readonly workers: readonly WorkerStatus[];
  /** The intended number of workers. */
  readonly workersWanted: number;
  /** Sums over the workers. */
  readonly lanes: LanesStatus;
  /** Sums over the workers by layer; shared layers once. */
  readonly caches: readonly CacheStatus[];
  readonly sources: readonly SourceStatus[];
  readonly formats: readonly FormatStatus[];
  /** What needs attention: a pending restart, unsafe settings, missing workers. */
  readonly warnings: readonly string[];
}

/** A serving process. */
export interface WorkerStatus {
  /** From 1; a worker's replacement has its number. */
  readonly worker: number;
  readonly pid: number;
  readonly uptimeMs: number;
  /** Memory of the process and of its JavaScript heap in bytes. */
  readonly memory: {
    readonly resident: number;
    readonly heapUsed: number;
    readonly heapTotal: number;
  };
  readonly lanes: LanesStatus;
  readonly caches: readonly CacheStatus[];
  readonly sources: readonly SourceStatus[];
}

/** The lanes of renders, and totals of all work since the start. */
export interface LanesStatus {
  readonly small: LaneStatus;
  readonly large: LaneStatus;
  readonly counts: AdmissionCounts;
}

/** A lane: running and queued work, and the limits. */
export interface LaneStatus extends LaneLoad {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  /** Bytes. */
  readonly maxBytes: number;
}

/**
 * The cache layers: derivatives in memory and outside the processes, infos, file structures,
 * decoded tiles, pyramids made of images.
 */
export type CacheLayer = "memory" | "store" | "infos" | "structure" | "tiles" | "pyramids";

/** The content and hit rate of a layer, since the start. */
export interface CacheStatus {
  readonly layer: CacheLayer;
  /**
   * The kind by its name in the configuration, such as `FilesystemCache`; absent where there is
   * only one.
   */
  readonly kind?: string;
  /** Absent where it cannot be counted cheaply. */
  readonly entries?: number;
  readonly bytes?: number;
  /** The limit; absent for none. */
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  readonly hits: number;
  readonly misses: number;
  /** Failed calls, and calls skipped shortly after a failure. */
  readonly failures?: number;
  readonly spared?: number;
  /** Queued writes. */
  readonly backlog?: { readonly entries: number; readonly bytes: number; readonly dropped: number };
  /** Number of pages that were refused a pyramid within the last day. */
  readonly refused?: number;
  /** Number of waiting pyramids, and of those being made; a page may count once per worker. */
  readonly waiting?: number;
  readonly making?: number;
}

/** A source of images. */
export interface SourceStatus {
  /** Its name in the configuration, such as `FilesystemSource`. */
  readonly kind: string;
  /** The formats read from it since the start, by the Image API's names. */
  readonly served: readonly string[];
  /** The servers asked for its images since the start; empty for a local source. */
  readonly origins: readonly OriginStatus[];
}

/** A server that images come from, as all processes see it. */
export interface OriginStatus extends Omit<OriginState, "ms"> {
  /**
   * Recent average duration of a request in milliseconds, from sending it to the end of its
   * response.
   */
  readonly averageMs: number;
}

/** What can be done with a format. */
export interface FormatStatus {
  /** By the Image API's name, such as `tif`. */
  readonly format: string;
  /** Display name, such as `TIFF`. */
  readonly name: string;
  readonly read: AbilityStatus;
  readonly write: AbilityStatus;
}

/** Whether a format can be read, or written, on this installation. */
export interface AbilityStatus {
  readonly available: boolean;
  /** The codec that does it, or would; absent where there is none. */
  readonly by?: string;
  readonly version?: string;
  /** What is missing, in a sentence. */
  readonly missing?: string;
}
