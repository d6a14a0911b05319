import type { Memory } from "./memory.ts";
import type { Replay } from "./replay.ts";
import { type Latency, latency } from "./statistics.ts";

/** The data of a run: plain data, written with `--json` and read by compare.ts. */
export interface Result {
  readonly name: string;
  /** ISO 8601. */
  readonly date: string;
  readonly base: string;
  readonly urls: readonly string[];
  readonly clients: number;
  readonly seconds: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly bytes: number;
  readonly milliseconds: Latency;
  readonly statuses: Readonly<Record<string, number>>;
  /** In bytes; absent where it could not be measured. */
  readonly memory?: {
    readonly before: number;
    readonly peak: number;
    readonly after: number;
    readonly processes: number;
  };
}

/** Assembles the measurements. Requests without a complete response count in `statuses` alone. */
export const resultOf = (
  run: Pick<Result, "name" | "date" | "base" | "urls" | "clients">,
  replayed: Replay,
  memory: readonly Memory[],
): Result => {
  const resident = memory.map((one) => one.resident);
  const [before] = resident;
  const after = resident.at(-1);
  return {
    ...run,
    seconds: replayed.seconds,
    requests: replayed.times.length,
    perSecond: replayed.seconds === 0 ? 0 : replayed.times.length / replayed.seconds,
    bytes: replayed.bytes,
    milliseconds: latency(replayed.times),
    statuses: replayed.statuses,
    ...(before === undefined || after === undefined
      ? {}
      : {
          memory: {
            before,
            after,
            peak: Math.max(...resident),
            processes: Math.max(...memory.map((one) => one.processes)),
          },
        }),
  };
};

/** A result for people: a few lines, no line end at the last. */
export const describeResult = (result: Result): string => {
  const { milliseconds: ms, memory } = result;
  const lines = [
    `${result.requests} requests in ${result.seconds.toFixed(1)} s with ${result.clients} clients: ${result.perSecond.toFixed(1)} per second, ${mebibytes(result.bytes)}`,
    `milliseconds: p50 ${ms.p50.toFixed(1)}, p95 ${ms.p95.toFixed(1)}, p99 ${ms.p99.toFixed(1)}, mean ${ms.mean.toFixed(1)}, longest ${ms.max.toFixed(1)}`,
    `statuses: ${Object.entries(result.statuses)
      .map(([status, count]) => `${status} × ${count}`)
      .join(", ")}`,
    memory === undefined
      ? "memory: not known (no --pid, and nobody found who listens on the port)"
      : `resident memory: ${mebibytes(memory.before)} before, ${mebibytes(memory.peak)} at the most, ${mebibytes(memory.after)} after (${memory.processes} ${memory.processes === 1 ? "process" : "processes"})`,
  ];
  return lines.join("\n");
};

/** Bytes for people. */
export const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
