import type { AdmissionCounts } from "../core/admission-counts.ts";
import type { LaneLoad } from "../core/lane.ts";
import type { OriginState } from "../core/source.ts";

/** What an operator wants to know of the server at a moment, all of its processes together. */
export interface Status {
  /** Vitrine's own version, as in `0.1.0`. */
  readonly version: string;
  /** When the first of its processes started. */
  readonly startedAt: Date;
  readonly uptimeMs: number;
  /** By number; a worker that did not answer in time is left out. */
  readonly workers: readonly WorkerStatus[];
  /** How many workers there should be. */
  readonly workersWanted: number;
  /** Sums over the workers. */
  readonly lanes: LanesStatus;
  /** Sums over the workers, by layer; what all share stands there once. */
  readonly caches: readonly CacheStatus[];
  readonly sources: readonly SourceStatus[];
  readonly formats: readonly FormatStatus[];
  /**
   * What somebody should look at: a restart that is due, unsafe settings, workers that are missing.
   */
  readonly warnings: readonly string[];
}

/** One process that serves. */
export interface WorkerStatus {
  /** From 1; who replaces a worker has its number. */
  readonly worker: number;
  readonly pid: number;
  readonly uptimeMs: number;
  /** Bytes of memory that the process has, and those of JavaScript's heap. */
  readonly memory: {
    readonly resident: number;
    readonly heapUsed: number;
    readonly heapTotal: number;
  };
  readonly lanes: LanesStatus;
  readonly caches: readonly CacheStatus[];
  readonly sources: readonly SourceStatus[];
}

/** The lanes of work that is drawn, and what has become of all work since the start. */
export interface LanesStatus {
  readonly small: LaneStatus;
  readonly large: LaneStatus;
  readonly counts: AdmissionCounts;
}

/** A lane: what runs and waits in it, and the most that may. */
export interface LaneStatus extends LaneLoad {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  /** Bytes. */
  readonly maxBytes: number;
}

/**
 * The places where something is kept: finished images in the memory of the processes, those
 * outside, what is known of images, the structure of their files, decoded tiles, copies of source
 * files.
 */
export type CacheLayer = "memory" | "store" | "infos" | "structure" | "tiles";

/** What a layer holds and how often it had what was asked for, since the start. */
export interface CacheStatus {
  readonly layer: CacheLayer;
  /**
   * The kind as the configuration calls it, such as `FilesystemCache`; absent where there is but
   * one.
   */
  readonly kind?: string;
  /** Absent where it cannot be told cheaply. */
  readonly entries?: number;
  readonly bytes?: number;
  /** The most that it may hold; absent for no bound. */
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  readonly hits: number;
  readonly misses: number;
  /** Calls that failed, and calls that were not made shortly after such. */
  readonly failures?: number;
  readonly spared?: number;
  /** What waits to be written. */
  readonly backlog?: { readonly entries: number; readonly bytes: number; readonly dropped: number };
}

/** A source of images. */
export interface SourceStatus {
  /** As the configuration calls it, such as `FilesystemSource`. */
  readonly kind: string;
  /** The formats that were read from it since the start, as the Image API spells them. */
  readonly served: readonly string[];
  /** The servers that were asked for its images since the start; none where it is local. */
  readonly origins: readonly OriginStatus[];
}

/** A server that images come from, as all who asked it found it. */
export interface OriginStatus extends Omit<OriginState, "ms"> {
  /**
   * Milliseconds that a request took of late, on average, from its sending to the end of its
   * answer.
   */
  readonly averageMs: number;
}

/** What can be done with a format here. */
export interface FormatStatus {
  /** As the Image API spells it, such as `tif`. */
  readonly format: string;
  /** For people, such as `TIFF`. */
  readonly name: string;
  readonly read: AbilityStatus;
  readonly write: AbilityStatus;
}

/** Whether a format is read, or written, here and now. */
export interface AbilityStatus {
  readonly available: boolean;
  /** The codec that does it, or would; absent where none can. */
  readonly by?: string;
  readonly version?: string;
  /** What there would have to be, in a sentence. */
  readonly missing?: string;
}
