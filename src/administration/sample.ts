import type { Counts } from "./counting.ts";
import type { SlowSource } from "./figures.ts";
import type { CacheLayer } from "./status.ts";

/**
 * The figures of one process as they stand: counts that only grow, and what there is at the moment.
 * Plain data.
 */
export interface Sample extends Counts {
  /** Names the process among all that ever serve. */
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
  /** Milliseconds that the event loop came late since the last sample. */
  readonly eventLoop: { readonly p99: number; readonly max: number };
  readonly slowest: readonly SlowSource[];
}

/** A layer of what is kept. */
export interface CacheSample {
  readonly layer: CacheLayer;
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number | null;
}
