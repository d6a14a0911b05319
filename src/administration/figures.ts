import type { CacheLayer } from "./status.ts";

/** The figures of the server over time, all workers together. */
export interface Figures {
  /** The last ten minutes in intervals of about five seconds, the oldest first. */
  readonly intervals: readonly Interval[];
  /**
   * The last minute in intervals of about a second; there are some only while somebody asks for
   * them.
   */
  readonly recent: readonly Interval[];
  /** Images whose files were slow to be found and read of late, the slowest first; at most 20. */
  readonly slowest: readonly SlowSource[];
}

/** The kinds of request that are told apart. */
export const requestKinds = ["image", "info", "other"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** The classes of status: 2xx, 3xx, 4xx, 5xx, and clients that left before the answer (499). */
export const statusClasses = ["ok", "redirect", "client", "server", "left"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** What happened within an interval. */
export interface Interval {
  /** The end of the interval, in milliseconds since 1970. */
  readonly at: number;
  /** How long it was. */
  readonly seconds: number;
  /** Requests per second, by kind and class of status. */
  readonly requests: Readonly<Record<RequestKind, Readonly<Record<StatusClass, number>>>>;
  /**
   * Milliseconds from the arrival of a request to the end of its answer; absent where there was
   * none.
   */
  readonly latency: Readonly<Record<RequestKind | "all", Percentiles | null>>;
  /** What ran and waited at the end of the interval, and how many were refused per second. */
  readonly lanes: {
    readonly small: { readonly running: number; readonly waiting: number };
    readonly large: { readonly running: number; readonly waiting: number };
    readonly refused: number;
  };
  /**
   * Hits and misses per second, and bytes held at the end where they are known; layers that are not
   * there are left out.
   */
  readonly caches: Readonly<
    Partial<
      Record<
        CacheLayer,
        { readonly hits: number; readonly misses: number; readonly bytes: number | null }
      >
    >
  >;
  /** Bytes of memory that the workers have, at the end of the interval. */
  readonly memory: { readonly resident: number; readonly heapUsed: number };
  /** Processors that were busy with it: 1.5 is one and a half. */
  readonly processors: number;
  /**
   * Milliseconds by which the event loop came late: the 99th percentile and the most, of the worst
   * worker.
   */
  readonly eventLoop: { readonly p99: number; readonly max: number };
  /** How many workers told their figures. */
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
  /** The longest that finding and reading it took, in milliseconds. */
  readonly ms: number;
  /** How often it was slow. */
  readonly count: number;
  /** When it was last, in milliseconds since 1970. */
  readonly at: number;
}
