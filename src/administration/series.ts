import { type Counts, latencyClasses, latencyOf, requestsAt } from "./counting.ts";
import {
  type Interval,
  type Percentiles,
  type RequestKind,
  requestKinds,
  type StatusClass,
  statusClasses,
} from "./figures.ts";
import type { CacheSample, Sample } from "./sample.ts";

/** The length of an interval, and how many are kept. */
export interface SeriesShape {
  readonly intervalMs: number;
  readonly intervals: number;
}

/** Metrics over time: each interval is the growth between the samples of all processes. */
export class Series {
  readonly #shape: SeriesShape;
  readonly #intervals: Interval[] = [];
  #before = new Map<string, Sample>();

  constructor(shape: SeriesShape) {
    this.#shape = shape;
  }

  /** Oldest first. */
  get intervals(): readonly Interval[] {
    return [...this.#intervals];
  }

  /**
   * Adds an interval; `at` is milliseconds since 1970. Without a sample, or before any time has
   * passed, none is added.
   */
  add(samples: readonly Sample[], at: number): void {
    const grown = samples
      .map((sample) => growth(sample, this.#before.get(sample.process), this.#shape.intervalMs))
      .filter(({ seconds }) => seconds > 0);
    this.#before = new Map(samples.map((sample) => [sample.process, sample]));
    if (grown.length === 0) return;
    this.#intervals.push(intervalOf(grown, at));
    if (this.#intervals.length > this.#shape.intervals) this.#intervals.shift();
  }
}

/** The activity of a process between two samples, and the later of these. */
interface Growth {
  readonly seconds: number;
  readonly now: Sample;
  readonly counts: Counts;
  readonly refused: number;
  readonly cpuMs: number;
  readonly caches: readonly CacheSample[];
}

const growth = (now: Sample, before: Sample | undefined, intervalMs: number): Growth => {
  // A new process has done all of it in this interval; of one first seen late, nobody knows when.
  const since = before ?? (now.upMs <= intervalMs * 2 ? undefined : now);
  const less = (all: Float64Array, earlier: Float64Array | undefined): Float64Array =>
    all.map((count, at) => count - (earlier?.[at] ?? 0));
  return {
    seconds: before ? (now.upMs - before.upMs) / 1_000 : Math.min(now.upMs, intervalMs) / 1_000,
    now,
    counts: {
      requests: less(now.requests, since?.requests),
      latencies: less(now.latencies, since?.latencies),
      milliseconds: less(now.milliseconds, since?.milliseconds),
    },
    refused: now.refused - (since?.refused ?? 0),
    cpuMs: now.cpuMs - (since?.cpuMs ?? 0),
    caches: now.caches.map((cache) => {
      const earlier = since?.caches.find(({ layer }) => layer === cache.layer);
      return {
        ...cache,
        hits: cache.hits - (earlier?.hits ?? 0),
        misses: cache.misses - (earlier?.misses ?? 0),
      };
    }),
  };
};

const intervalOf = (grown: readonly Growth[], at: number): Interval => {
  const sum = (of: (one: Growth) => number): number => grown.reduce((all, one) => all + of(one), 0);
  const perSecond = (of: (one: Growth) => number): number => sum((one) => of(one) / one.seconds);
  const worst = (of: (one: Growth) => number): number => Math.max(...grown.map(of));
  return {
    at,
    seconds: worst(({ seconds }) => seconds),
    requests: byKind((kind) =>
      byStatus((status) =>
        perSecond(({ counts }) => counts.requests[requestsAt(kind, status)] ?? 0),
      ),
    ),
    latency: {
      ...byKind((kind) => percentiles(grown, [kind])),
      all: percentiles(grown, requestKinds),
    },
    lanes: {
      small: load(grown, "small"),
      large: load(grown, "large"),
      refused: perSecond(({ refused }) => refused),
    },
    caches: layersOf(grown),
    memory: {
      resident: sum(({ now }) => now.memory.resident),
      heapUsed: sum(({ now }) => now.memory.heapUsed),
    },
    processors: perSecond(({ cpuMs }) => cpuMs / 1_000),
    eventLoop: {
      p99: worst(({ now }) => now.eventLoop.p99),
      max: worst(({ now }) => now.eventLoop.max),
    },
    workers: grown.length,
  };
};

const byKind = <T>(of: (kind: RequestKind) => T): Record<RequestKind, T> => ({
  image: of("image"),
  info: of("info"),
  other: of("other"),
});

const byStatus = <T>(of: (status: StatusClass) => T): Record<StatusClass, T> =>
  Object.fromEntries(statusClasses.map((status) => [status, of(status)])) as Record<StatusClass, T>;

const load = (grown: readonly Growth[], lane: "small" | "large"): Interval["lanes"]["small"] => ({
  running: grown.reduce((all, { now }) => all + now.lanes[lane].running, 0),
  waiting: grown.reduce((all, { now }) => all + now.lanes[lane].waiting, 0),
});

const layersOf = (grown: readonly Growth[]): Interval["caches"] => {
  const layers: Record<string, { hits: number; misses: number; bytes: number | null }> = {};
  for (const { caches, seconds } of grown)
    for (const { layer, hits, misses, bytes } of caches) {
      const before = layers[layer] ?? { hits: 0, misses: 0, bytes: null };
      layers[layer] = {
        hits: before.hits + hits / seconds,
        misses: before.misses + misses / seconds,
        bytes: bytes === null ? before.bytes : bytes + (before.bytes ?? 0),
      };
    }
  return layers;
};

const percentiles = (
  grown: readonly Growth[],
  kinds: readonly RequestKind[],
): Percentiles | null => {
  const classes = new Float64Array(latencyClasses);
  for (const { counts } of grown)
    for (const kind of kinds) {
      const first = requestKinds.indexOf(kind) * latencyClasses;
      for (let at = 0; at < latencyClasses; at++)
        classes[at] = (classes[at] ?? 0) + (counts.latencies[first + at] ?? 0);
    }
  const all = classes.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  const below = (part: number): number => {
    let seen = 0;
    const found = classes.findIndex((count) => {
      seen += count;
      return seen >= part * all;
    });
    return Number(latencyOf(found).toPrecision(3));
  };
  return { p50: below(0.5), p90: below(0.9), p95: below(0.95), p99: below(0.99) };
};
