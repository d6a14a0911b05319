import { expect, test } from "vitest";
import type { Interval } from "../server/wire.ts";
import {
  cachesChart,
  hitRate,
  latencyChart,
  latestOf,
  maxOf,
  requestsChart,
  stacked,
} from "./series.ts";

const kinds = { ok: 2, redirect: 0, client: 1, server: 0, left: 0 };
const percentiles = { p50: 4, p90: 20, p95: 30, p99: 90 };

const interval = (more: Partial<Interval> = {}): Interval => ({
  at: 5000,
  seconds: 5,
  requests: { image: kinds, info: kinds, other: kinds },
  latency: { image: percentiles, info: null, other: null, all: percentiles },
  lanes: { small: { running: 1, waiting: 0 }, large: { running: 0, waiting: 0 }, refused: 0 },
  caches: {},
  memory: { resident: 1, heapUsed: 1 },
  processors: 0.5,
  eventLoop: { p99: 1, max: 2 },
  workers: 1,
  ...more,
});

test("sums requests of all kinds, or returns those of one", () => {
  const values = (kind: "all" | "image"): unknown =>
    requestsChart([interval()], kind).lines.map((line) => line.values);
  expect(values("all")).toEqual([[6], [0], [3], [0], [0]]);
  expect(values("image")).toEqual([[2], [0], [1], [0], [0]]);
});

test("has no latency without requests, and times in seconds", () => {
  const chart = latencyChart([interval(), interval({ at: 10_000 })], "info");
  expect(chart.times).toEqual([5, 10]);
  expect(chart.lines.map(({ values }) => values)).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
  expect(latencyChart([interval()], "image").lines[2]?.values).toEqual([90]);
});

test("has the existing cache layers, and nothing without requests", () => {
  const memory = { hits: 3, misses: 1, bytes: 10 };
  const chart = cachesChart([
    interval({ caches: { memory, infos: { hits: 0, misses: 0, bytes: null } } }),
    interval(),
  ]);
  expect(chart.lines.map(({ label, values }) => [label, values])).toEqual([
    ["Derivatives in memory", [0.75, null]],
    ["Image information", [null, null]],
  ]);
  expect(hitRate(undefined)).toBeNull();
});

test("stacks lines, the largest sum first", () => {
  const line = (values: readonly (number | null)[]) =>
    ({ label: "", colour: "accent", values }) as const;
  expect(stacked([line([1, 2, null]), line([3, 0, 4])])).toEqual([
    [4, 2, 4],
    [1, 2, null],
  ]);
});

test("finds the largest and the latest value", () => {
  expect(maxOf([[1, null, 7], [3]])).toBe(7);
  expect(maxOf([])).toBe(0);
  expect(latestOf([1, 2, null])).toBe(2);
  expect(latestOf([null])).toBeNull();
});
