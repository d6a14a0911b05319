import type { AdmissionCounts } from "../core/admission-counts.ts";
import type {
  CacheStatus,
  LaneStatus,
  LanesStatus,
  OriginStatus,
  SourceStatus,
  WorkerStatus,
} from "./status.ts";

/** The lanes of all workers together. */
export const lanesOf = (workers: readonly WorkerStatus[]): LanesStatus => {
  const lanes = workers.map(({ lanes }) => lanes);
  return {
    small: laneOf(lanes.map(({ small }) => small)),
    large: laneOf(lanes.map(({ large }) => large)),
    counts: countsOf(lanes.map(({ counts }) => counts)),
  };
};

const laneOf = (lanes: readonly LaneStatus[]): LaneStatus => ({
  running: sum(lanes, ({ running }) => running),
  waiting: sum(lanes, ({ waiting }) => waiting),
  bytes: sum(lanes, ({ bytes }) => bytes),
  maxRunning: sum(lanes, ({ maxRunning }) => maxRunning),
  maxWaiting: sum(lanes, ({ maxWaiting }) => maxWaiting),
  maxBytes: sum(lanes, ({ maxBytes }) => maxBytes),
});

const countsOf = (counts: readonly AdmissionCounts[]): AdmissionCounts => ({
  begun: sum(counts, ({ begun }) => begun),
  waited: sum(counts, ({ waited }) => waited),
  waitedMs: sum(counts, ({ waitedMs }) => waitedMs),
  done: sum(counts, ({ done }) => done),
  abandoned: sum(counts, ({ abandoned }) => abandoned),
  left: sum(counts, ({ left }) => left),
  refusedFull: sum(counts, ({ refusedFull }) => refusedFull),
  refusedSlow: sum(counts, ({ refusedSlow }) => refusedSlow),
  refusedHuge: sum(counts, ({ refusedHuge }) => refusedHuge),
});

/** The cache layers of all workers: their own added up, shared ones once. */
export const cachesOf = (workers: readonly WorkerStatus[]): readonly CacheStatus[] => {
  const layers = new Map<string, CacheStatus>();
  for (const { caches } of workers)
    for (const cache of caches) {
      const before = layers.get(cache.layer);
      layers.set(cache.layer, before ? together(before, cache) : cache);
    }
  return [...layers.values()];
};

const together = (one: CacheStatus, other: CacheStatus): CacheStatus => {
  // What lies outside the processes is common to all, and only one of them was asked to count it.
  const shared = one.layer === "store" || one.layer === "pyramids";
  const both = (a: number | undefined, b: number | undefined): number | undefined => {
    if (a === undefined || b === undefined) return a ?? b;
    return shared ? Math.max(a, b) : a + b;
  };
  const added = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  return defined({
    layer: one.layer,
    kind: one.kind,
    entries: both(one.entries, other.entries),
    bytes: both(one.bytes, other.bytes),
    maxEntries: both(one.maxEntries, other.maxEntries),
    maxBytes: both(one.maxBytes, other.maxBytes),
    hits: one.hits + other.hits,
    misses: one.misses + other.misses,
    failures: added(one.failures, other.failures),
    spared: added(one.spared, other.spared),
    backlog: one.backlog &&
      other.backlog && {
        entries: one.backlog.entries + other.backlog.entries,
        bytes: one.backlog.bytes + other.backlog.bytes,
        dropped: one.backlog.dropped + other.backlog.dropped,
      },
    refused: both(one.refused, other.refused),
    waiting: added(one.waiting, other.waiting),
    making: added(one.making, other.making),
  });
};

type Undefinable<T> = { readonly [K in keyof T]: T[K] | undefined };

const defined = (status: Undefinable<Required<CacheStatus>>): CacheStatus =>
  Object.fromEntries(
    Object.entries(status).filter(([, value]) => value !== undefined),
  ) as unknown as CacheStatus;

/** The sources of all workers by kind; a format that one of them could read counts. */
export const sourcesOf = (
  workers: readonly Pick<WorkerStatus, "sources">[],
): readonly SourceStatus[] => {
  const kinds = new Map<string, SourceStatus[]>();
  for (const { sources } of workers)
    for (const source of sources)
      kinds.set(source.kind, [...(kinds.get(source.kind) ?? []), source]);
  return [...kinds].map(([kind, same]) => ({
    kind,
    served: [...new Set(same.flatMap(({ served }) => served))].sort(),
    origins: originsOf(same.flatMap(({ origins }) => origins)),
  }));
};

/** The processes' facts about servers, added up by server. */
const originsOf = (all: readonly OriginStatus[]): readonly OriginStatus[] => {
  const names = new Map<string, OriginStatus[]>();
  for (const one of all) names.set(one.origin, [...(names.get(one.origin) ?? []), one]);
  return [...names].map(([origin, same]) => {
    const requests = sum(same, (one) => one.requests);
    const weighted = sum(same, (one) => one.averageMs * one.requests);
    return {
      origin,
      breaker: worstBreaker(same),
      running: sum(same, (one) => one.running),
      waiting: sum(same, (one) => one.waiting),
      requests,
      failures: sum(same, (one) => one.failures),
      bytes: sum(same, (one) => one.bytes),
      averageMs: requests === 0 ? 0 : Math.round((weighted / requests) * 10) / 10,
    };
  });
};

/** From best to worst. */
const breakers = ["closed", "trying", "open"] as const;

const worstBreaker = (all: readonly OriginStatus[]): OriginStatus["breaker"] =>
  breakers[Math.max(0, ...all.map(({ breaker }) => breakers.indexOf(breaker)))] ?? "closed";

const sum = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((total, one) => total + of(one), 0);
