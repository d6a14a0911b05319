import { type Measurement, middle } from "./measurement.ts";
import type { Workload } from "./workloads.ts";

/** The result of one workload. */
export interface Outcome {
  readonly workload: Pick<Workload, "name" | "title" | "targets" | "floor" | "clients">;
  /** All runs by the server's name. */
  readonly runs: Readonly<Record<string, readonly Measurement[]>>;
  /**
   * By the rival's name: how far its images are from ours (steps of 255, mean), and what is
   * wrong.
   */
  readonly agreement: Readonly<
    Record<string, { readonly apart?: number; readonly complaints: readonly string[] }>
  >;
}

/** The results as a Markdown table, one row per workload. */
export const table = (outcomes: readonly Outcome[], rivals: readonly string[]): string => {
  const head = [
    "workload",
    "Vitrine /s",
    "p50 / p95 ms",
    "CPU ms",
    ...rivals.flatMap((name) => [`${name} /s`, "CPU ms", "ratio (target)", "by CPU", "apart"]),
  ];
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, rule, ...outcomes.map((outcome) => row(outcome, rivals))]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
};

const row = ({ workload, runs, agreement }: Outcome, rivals: readonly string[]): string[] => {
  const ours = middle(runs["vitrine"] ?? []);
  const { floor } = workload;
  return [
    workload.title,
    floor === undefined || ours === undefined
      ? rate(ours)
      : `${judged(rate(ours), ours.perSecond >= floor)} (${figure(floor)})`,
    ours === undefined ? "–" : `${figure(ours.p50)} / ${figure(ours.p95)}`,
    processor(ours),
    ...rivals.flatMap((name) => {
      const theirs = middle(runs[name] ?? []);
      const target = workload.targets[name];
      return [
        rate(theirs),
        processor(theirs),
        ratio(ours, theirs, target),
        byProcessor(ours, theirs),
        likeness(agreement[name]),
      ];
    }),
  ];
};

const ratio = (
  ours: Measurement | undefined,
  theirs: Measurement | undefined,
  target: number | undefined,
): string => {
  if (ours === undefined || theirs === undefined || theirs.perSecond === 0) return "–";
  const times = ours.perSecond / theirs.perSecond;
  if (target === undefined) return figure(times);
  return `${judged(figure(times), times >= target)} (${target})`;
};

/** Their processor time as a multiple of ours. */
const byProcessor = (ours: Measurement | undefined, theirs: Measurement | undefined): string =>
  ours?.processorTime && theirs?.processorTime && theirs.perSecond > 0
    ? figure(theirs.processorTime / ours.processorTime)
    : "–";

/** Highlights what misses its target. */
const judged = (text: string, good: boolean): string => (good ? text : `**${text}**`);

const likeness = (found: Outcome["agreement"][string] | undefined): string => {
  if (found === undefined) return "–";
  if (found.complaints.length > 0) return "**differs**";
  return found.apart === undefined ? "–" : figure(found.apart);
};

const rate = (run: Measurement | undefined): string =>
  run === undefined
    ? "–"
    : `${figure(run.perSecond)}${run.failed > 0 ? ` (${run.failed} failed)` : ""}`;

const processor = (run: Measurement | undefined): string =>
  run?.processorTime === undefined ? "–" : figure(run.processorTime);

/** Three digits are all that a measurement is worth. */
const figure = (value: number): string =>
  value >= 100
    ? Math.floor(value + 0.5).toLocaleString("en")
    : value.toPrecision(value < 0.1 ? 2 : 3);
