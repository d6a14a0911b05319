import type { Counts } from "./counting.ts";
import type { SlowSource } from "./figures.ts";
import type { CacheLayer } from "./status.ts";

/** The metrics of one process: counts that only grow, and current values. Plain data. */
export interface Sample extends Counts {
  /** Identifies the process among all that ever serve. */
  readonly process: string;
  /** Milliseconds since the process started. */
  readonly upMs: number;
  readonly lanes: {
    readonly small: { readonly running: number; readonly waiting: number };
    readonly large: { readonly running: number; readonly waiting: number };
  };
  /** Images refused since the start. */
  readonly refused: number;
  readonly caches: readonly CacheSample[];
  /** Bytes. */
  readonly memory: { readonly resident: number; readonly heapUsed: number };
  /** Milliseconds of processor time since the start. */
  readonly cpuMs: number;
  /** Milliseconds of event loop delay since the last sample. */
  readonly eventLoop: { readonly p99: number; readonly max: number };
  readonly slowest: readonly SlowSource[];
}

/** A cache layer. */
export interface CacheSample {
  readonly layer: CacheLayer;
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number | null;
}
