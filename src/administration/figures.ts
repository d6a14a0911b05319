import type { CacheLayer } from "./status.ts";

/** Metrics of the server over time, all workers together. */
export interface Figures {
  /** The last ten minutes in intervals of about five seconds, oldest first. */
  readonly intervals: readonly Interval[];
  /**
   * The last minute in intervals of about a second; collected only while somebody requests them.
   */
  readonly recent: readonly Interval[];
  /** Images whose files were recently slow to find and read, slowest first; at most 20. */
  readonly slowest: readonly SlowSource[];
}

/** The kinds of requests that are counted separately. */
export const requestKinds = ["image", "info", "other"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** The classes of status: 2xx, 3xx, 4xx, 5xx, and disconnected clients (499). */
export const statusClasses = ["ok", "redirect", "client", "server", "left"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** The metrics of an interval. */
export interface Interval {
  /** Its end, in milliseconds since 1970. */
  readonly at: number;
  /** Its length. */
  readonly seconds: number;
  /** Requests per second, by kind and class of status. */
  readonly requests: Readonly<Record<RequestKind, Readonly<Record<StatusClass, number>>>>;
  /**
   * Milliseconds from the arrival of a request to the end of its response; absent without requests.
   */
  readonly latency: Readonly<Record<RequestKind | "all", Percentiles | null>>;
  /** Running and queued work at the end of the interval, and refusals per second. */
  readonly lanes: {
    readonly small: { readonly running: number; readonly waiting: number };
    readonly large: { readonly running: number; readonly waiting: number };
    readonly refused: number;
  };
  /**
   * Hits and misses per second, and bytes held at the end where known; absent layers are left out.
   */
  readonly caches: Readonly<
    Partial<
      Record<
        CacheLayer,
        { readonly hits: number; readonly misses: number; readonly bytes: number | null }
      >
    >
  >;
  /** Memory of the workers in bytes, at the end of the interval. */
  readonly memory: { readonly resident: number; readonly heapUsed: number };
  /** Busy processors: 1.5 is one and a half. */
  readonly processors: number;
  /** Milliseconds of event loop delay: the 99th percentile and the maximum, of the worst worker. */
  readonly eventLoop: { readonly p99: number; readonly max: number };
  /** Number of workers that reported. */
  readonly workers: number;
}

/** Milliseconds, each to within a tenth of it. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/** An image whose file was slow. */
export interface SlowSource {
  readonly identifier: string;
  /** The longest time for finding and reading it, in milliseconds. */
  readonly ms: number;
  /** How often it was slow. */
  readonly count: number;
  /** The last time, in milliseconds since 1970. */
  readonly at: number;
}
