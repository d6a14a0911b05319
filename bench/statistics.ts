/** What a run took, in milliseconds per request. */
export interface Latency {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Mean and percentiles of a run's times; all zero when nothing was measured. */
export const latency = (times: readonly number[]): Latency => {
  const sorted = Float64Array.from(times).sort();
  const sum = sorted.reduce((total, time) => total + time, 0);
  return {
    mean: sorted.length === 0 ? 0 : sum / sorted.length,
    p50: percentile(sorted, 50),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
    max: sorted.at(-1) ?? 0,
  };
};

/**
 * The smallest value that at least `share` percent (above 0, up to 100) of the values do not
 * exceed: the nearest-rank percentile, so always a value that was measured. 0 of nothing.
 */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil((share / 100) * sorted.length) - 1)] ?? 0;
