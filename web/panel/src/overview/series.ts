import type { CacheLayer, Interval, RequestKind, StatusClass } from "../server/wire.ts";

/** A line of a chart. */
export interface Line {
  readonly label: string;
  /** Name of the colour: `--chart-…` in the style sheet. */
  readonly colour: Colour;
  /** One for each of the chart's times; null where there is none. */
  readonly values: readonly (number | null)[];
  /** Drawn dashed, so that lines can be distinguished without colours. */
  readonly dashed?: true;
}

export type Colour = "accent" | "grey" | "amber" | "red" | "violet" | "green" | "blue";

/** The content of a chart. */
export interface ChartData {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

const chart = (intervals: readonly Interval[], lines: readonly Line[]): ChartData => ({
  times: intervals.map(({ at }) => at / 1000),
  lines,
});

const each = (
  intervals: readonly Interval[],
  value: (interval: Interval) => number | null,
): readonly (number | null)[] => intervals.map(value);

/** Labels of status classes, in stacking order from below. */
const classes: Readonly<Record<StatusClass, { readonly label: string; readonly colour: Colour }>> =
  {
    ok: { label: "2xx", colour: "accent" },
    redirect: { label: "3xx", colour: "blue" },
    client: { label: "4xx", colour: "amber" },
    server: { label: "5xx", colour: "red" },
    left: { label: "client disconnected", colour: "grey" },
  };

const sumOf = (interval: Interval, status: StatusClass): number =>
  Object.values(interval.requests).reduce((sum, kinds) => sum + kinds[status], 0);

/** Requests per second by class of status, of all kinds or of one. */
export const requestsChart = (
  intervals: readonly Interval[],
  kind: RequestKind | "all",
): ChartData =>
  chart(
    intervals,
    (Object.keys(classes) as StatusClass[]).map((status) => ({
      ...classes[status],
      values: each(intervals, (interval) =>
        kind === "all" ? sumOf(interval, status) : interval.requests[kind][status],
      ),
    })),
  );

/** Percentiles of response times in milliseconds. */
export const latencyChart = (
  intervals: readonly Interval[],
  kind: RequestKind | "all",
): ChartData =>
  chart(intervals, [
    {
      label: "median",
      colour: "accent",
      values: each(intervals, ({ latency }) => latency[kind]?.p50 ?? null),
    },
    {
      label: "90 %",
      colour: "blue",
      values: each(intervals, ({ latency }) => latency[kind]?.p90 ?? null),
    },
    {
      label: "99 %",
      colour: "amber",
      values: each(intervals, ({ latency }) => latency[kind]?.p99 ?? null),
      dashed: true,
    },
  ]);

/** Running and queued work. */
export const lanesChart = (intervals: readonly Interval[]): ChartData =>
  chart(intervals, [
    {
      label: "small, running",
      colour: "accent",
      values: each(intervals, ({ lanes }) => lanes.small.running),
    },
    {
      label: "small, waiting",
      colour: "accent",
      values: each(intervals, ({ lanes }) => lanes.small.waiting),
      dashed: true,
    },
    {
      label: "large, running",
      colour: "violet",
      values: each(intervals, ({ lanes }) => lanes.large.running),
    },
    {
      label: "large, waiting",
      colour: "violet",
      values: each(intervals, ({ lanes }) => lanes.large.waiting),
      dashed: true,
    },
    { label: "refused /s", colour: "red", values: each(intervals, ({ lanes }) => lanes.refused) },
  ]);

/** What layers of caches are called. */
export const layerNames: Readonly<Record<CacheLayer, string>> = {
  memory: "Derivatives in memory",
  store: "Derivative cache",
  infos: "Image information",
  structure: "File structure",
  tiles: "Decoded tiles",
  pyramids: "Pyramids",
};

const layerColours: Readonly<Record<CacheLayer, Colour>> = {
  memory: "accent",
  store: "violet",
  infos: "amber",
  structure: "green",
  tiles: "blue",
  pyramids: "grey",
};

/** The hit rate, 0 to 1; null without lookups. */
export const hitRate = (
  counts: { readonly hits: number; readonly misses: number } | undefined,
): number | null => {
  if (counts === undefined) return null;
  const all = counts.hits + counts.misses;
  return all === 0 ? null : counts.hits / all;
};

/** Hit rates of the existing layers, 0 to 1. */
export const cachesChart = (intervals: readonly Interval[]): ChartData =>
  chart(
    intervals,
    (Object.keys(layerNames) as CacheLayer[])
      .filter((layer) => intervals.some(({ caches }) => caches[layer] !== undefined))
      .map((layer) => ({
        label: layerNames[layer],
        colour: layerColours[layer],
        values: each(intervals, ({ caches }) => hitRate(caches[layer])),
      })),
  );

/** Bytes of memory of all workers. */
export const memoryChart = (intervals: readonly Interval[]): ChartData =>
  chart(intervals, [
    {
      label: "resident",
      colour: "accent",
      values: each(intervals, ({ memory }) => memory.resident),
    },
    {
      label: "JavaScript heap",
      colour: "violet",
      values: each(intervals, ({ memory }) => memory.heapUsed),
      dashed: true,
    },
  ]);

/** Processors that were busy. */
export const processorsChart = (intervals: readonly Interval[]): ChartData =>
  chart(intervals, [
    {
      label: "processors",
      colour: "accent",
      values: each(intervals, ({ processors }) => processors),
    },
  ]);

/** Milliseconds of event loop delay. */
export const loopChart = (intervals: readonly Interval[]): ChartData =>
  chart(intervals, [
    { label: "99 %", colour: "accent", values: each(intervals, ({ eventLoop }) => eventLoop.p99) },
    {
      label: "maximum",
      colour: "amber",
      values: each(intervals, ({ eventLoop }) => eventLoop.max),
      dashed: true,
    },
  ]);

/**
 * Areas that look stacked when drawn over one another: each is the sum of its own line and those
 * before it, largest sum first, so that smaller ones are drawn over it.
 */
export const stacked = (lines: readonly Line[]): readonly (readonly (number | null)[])[] => {
  const sums: (number | null)[][] = [];
  for (const { values } of lines) {
    const below = sums.at(-1);
    sums.push(values.map((value, at) => (value === null ? null : value + (below?.[at] ?? 0))));
  }
  return sums.reverse();
};

/** The maximum of all values, 0 where there is none. */
export const maxOf = (columns: readonly (readonly (number | null)[])[]): number =>
  columns.reduce(
    (max, values) => values.reduce<number>((sofar, value) => Math.max(sofar, value ?? 0), max),
    0,
  );

/** The latest value. */
export const latestOf = (values: readonly (number | null)[]): number | null =>
  values.findLast((value) => value !== null) ?? null;
