import { processorTimeOf } from "../processor-time.ts";
import { replay } from "../replay.ts";
import { latency } from "../statistics.ts";
import type { Running } from "./server.ts";
import type { Workload } from "./workloads.ts";

/** One server's result for one workload, in one run. */
export interface Measurement {
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** Of the server's processes, in milliseconds; undefined where it cannot be known. */
  readonly processorTime: number | undefined;
  /** Of an answer's body, on average. */
  readonly bytes: number;
  /** Number of responses with another status than 200, or none. */
  readonly failed: number;
}

/** Loads a server for some seconds. Answers other than 200 count as failed, and not in the rate. */
export const measure = async (
  { base, pid }: Running,
  { clients }: Workload,
  paths: readonly [string, ...string[]],
  seconds: number,
): Promise<Measurement> => {
  const before = await processorTimeOf(pid);
  const run = await replay(paths, {
    base,
    clients,
    seconds,
    requests: Number.POSITIVE_INFINITY,
    timeout: 30_000,
    headers: {},
  });
  const after = await processorTimeOf(pid);
  const good = run.statuses["200"] ?? 0;
  const all = Object.values(run.statuses).reduce((sum, count) => sum + count, 0);
  const { p50, p95 } = latency(run.times);
  return {
    perSecond: good / run.seconds,
    p50,
    p95,
    processorTime:
      before === undefined || after === undefined ? undefined : (after - before) / Math.max(1, all),
    bytes: run.bytes / Math.max(1, all),
    failed: all - good,
  };
};

/** The median of several runs by rate; the lower of the two middle ones. */
export const middle = (runs: readonly Measurement[]): Measurement | undefined =>
  runs.toSorted((one, other) => one.perSecond - other.perSecond)[Math.floor((runs.length - 1) / 2)];
