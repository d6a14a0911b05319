import { monitorEventLoopDelay } from "node:perf_hooks";
import { prefixesOf } from "../caches/names.ts";
import { masked } from "../config/masked.ts";
import type { Admission } from "../core/admission.ts";
import { fail } from "../core/errors.ts";
import type { SourcePart } from "../core/source.ts";
import type { Availability } from "../formats/availability.ts";
import { lackAdvice } from "../formats/shared/index.ts";
import type { Derivatives } from "../service/caching.ts";
import type { Infos } from "../service/infos.ts";
import type { ManagedPyramids } from "../service/pyramids.ts";
import type { Counting } from "./counting.ts";
import type { Member } from "./member.ts";
import { noPyramids, type ProcessMaking } from "./own-making.ts";
import type { OwnPurging } from "./own-purging.ts";
import type { ServedImages } from "./served-images.ts";
import type { SlowSources } from "./slow-sources.ts";
import type {
  CacheStatus,
  FormatStatus,
  LaneStatus,
  SourceStatus,
  WorkerStatus,
} from "./status.ts";
import { sourcesOf } from "./summing.ts";
import { listingMs } from "./time-limits.ts";

/** The parts of a process that management uses. */
export interface MemberParts {
  /** From 1. */
  readonly worker: number;
  readonly counting: Counting;
  readonly slow: SlowSources;
  readonly served: ServedImages;
  readonly admission: Admission;
  readonly derivatives: Derivatives | undefined;
  readonly infos: Infos;
  readonly structure: MeasuredCache;
  readonly tiles: MeasuredCache;
  /** Pyramids made of images; absent: none are. */
  readonly pyramids: MeasuredPyramids | undefined;
  readonly purging: OwnPurging;
  readonly making: ProcessMaking;
  /** All sources and other remote services. */
  readonly sources: readonly (Pick<SourcePart, "kind"> & {
    readonly source: Pick<SourcePart["source"], "origins">;
  })[];
  readonly availability: () => Promise<readonly Availability[]>;
  readonly adopt: Member["adopt"];
}

/** The pyramids that all workers share, and how this process uses them. */
export interface MeasuredPyramids extends Pick<ManagedPyramids, "list"> {
  readonly maxBytes: number;
  /** Requests that used one, and those that had to do without. */
  readonly tally: { readonly hits: number; readonly misses: number };
  /** Number of pyramids that this process makes, or will. */
  readonly pending: number;
  /** Their number and bytes, and the number of refused pages. */
  counts(signal: AbortSignal): Promise<{
    readonly entries: number;
    readonly bytes: number;
    readonly failed: number;
  }>;
}

/** A cache in memory and its hit rate. */
export interface MeasuredCache {
  /** Its content and its limit. */
  readonly bytes: number;
  readonly maxBytes: number;
  readonly tally: { readonly hits: number; readonly misses: number };
}

/** Time limit for counting a remote cache's entries, and how long the result is reused. */
const statsMs = 1_500;
const statsAgeMs = 10_000;

/** Maximum number of pyramids being made that are counted. */
const maxListed = 1_000;

/** Interval of measuring the event loop delay, in milliseconds. */
const loopLookMs = 20;

/** A member that can be closed. */
export interface ServingMember extends Member {
  close(): void;
}

/** This process, as the hub sees it. */
export const createMember = (parts: MemberParts): ServingMember => {
  const { worker, counting, slow, served, admission, derivatives } = parts;
  const loop = monitorEventLoopDelay({ resolution: loopLookMs });
  loop.enable();
  const own = ownLayers(parts);
  const storeStats = remembered(async () => {
    const amount = await derivatives?.cache.stats(AbortSignal.timeout(statsMs));
    return amount === undefined ? {} : { entries: amount.entries, bytes: amount.bytes };
  });

  const store = async (shared: boolean): Promise<readonly CacheStatus[]> => {
    const back = derivatives?.back;
    if (derivatives === undefined || back === undefined) return [];
    const { hits, misses, failures, spared } = back.tally;
    const held = shared ? await storeStats().catch(() => ({})) : {};
    const backlog = { ...back.backlog };
    return [
      { layer: "store", kind: derivatives.kind, ...held, hits, misses, failures, spared, backlog },
    ];
  };

  const pyramidCounts = remembered(async () => {
    const found = await parts.pyramids?.counts(AbortSignal.timeout(statsMs));
    return found && { entries: found.entries, bytes: found.bytes, refused: found.failed };
  });

  const pyramids = async (shared: boolean): Promise<readonly CacheStatus[]> => {
    if (parts.pyramids === undefined) return [];
    const { maxBytes, tally, pending } = parts.pyramids;
    const page = { max: maxListed, state: "making" } as const;
    const { records } = await parts.pyramids.list(page, AbortSignal.timeout(statsMs));
    const making = records.length;
    const held = shared ? await pyramidCounts().catch(() => ({})) : {};
    return [{ layer: "pyramids", maxBytes, ...held, ...tally, waiting: pending - making, making }];
  };

  return {
    async sample() {
      const { small, large, counts } = admission.state;
      const memory = process.memoryUsage();
      const cpu = process.cpuUsage();
      const eventLoop = {
        p99: lateness(loop.percentile(99)),
        max: lateness(loop.max),
      };
      loop.reset();
      return {
        process: `${worker}/${process.pid}`,
        upMs: process.uptime() * 1_000,
        ...counting.snapshot(),
        lanes: { small, large },
        refused: counts.refusedFull + counts.refusedSlow + counts.refusedHuge,
        caches: [...own(), ...storeSample(parts)].map(({ layer, hits, misses, bytes }) => ({
          layer,
          hits,
          misses,
          bytes: bytes ?? null,
        })),
        memory: { resident: memory.rss, heapUsed: memory.heapUsed },
        cpuMs: (cpu.user + cpu.system) / 1_000,
        eventLoop,
        slowest: slow.slowest,
      };
    },

    async status(shared): Promise<WorkerStatus> {
      const { small, large, counts } = admission.state;
      const { limits } = admission;
      const lane = (name: "small" | "large"): LaneStatus => ({
        ...(name === "small" ? small : large),
        maxRunning: limits[name].running,
        maxWaiting: limits.waiting,
        maxBytes: limits[name].bytes,
      });
      const memory = process.memoryUsage();
      return {
        worker,
        pid: process.pid,
        uptimeMs: Math.round(process.uptime() * 1_000),
        memory: {
          resident: memory.rss,
          heapUsed: memory.heapUsed,
          heapTotal: memory.heapTotal,
        },
        lanes: { small: lane("small"), large: lane("large"), counts },
        caches: [...own(), ...(await store(shared)), ...(await pyramids(shared))],
        sources: sourcesIn(parts),
      };
    },

    formats: async () => (await parts.availability()).map(formatStatus),
    purge: (request, where) => parts.purging(request, where),
    makePyramids: (id, request) => parts.making.make(id, request),
    making: async (id) => parts.making.progress(id),
    stopMaking: async (id) => parts.making.stop(id),
    pyramids: async (query) =>
      (await parts.pyramids?.list(query, AbortSignal.timeout(listingMs))) ??
      fail("unimplemented", noPyramids),
    served: async () => served.all,
    sources: async () => sourcesIn(parts),

    async traffic(identifier, version) {
      const known = parts.infos.lastKnown(identifier);
      return known?.version === version ? known.object.traffic?.() : undefined;
    },

    async inMemory(identifier) {
      const front = derivatives?.front;
      const [pictures = ""] = prefixesOf(identifier);
      const names = front?.names().filter((name) => name.startsWith(pictures)) ?? [];
      const bytes = names.reduce(
        (sum, name) => sum + (front?.peek(name)?.entry.body.byteLength ?? 0),
        0,
      );
      return { entries: names.length, bytes };
    },

    adopt: (changes) => parts.adopt(changes),
    close: () => loop.disable(),
  };
};

/** The sources by kind, with the formats read from each and the servers that were asked. */
const sourcesIn = ({ sources, served }: MemberParts): readonly SourceStatus[] => {
  const formatsOf = (kind: string): readonly string[] =>
    served.all.filter(({ source }) => source === kind).map(({ format }) => format);
  return sourcesOf([
    {
      sources: sources.map(({ kind, source }) => ({
        kind,
        served: formatsOf(kind),
        origins: (source.origins?.() ?? []).map(({ ms, ...state }) => ({
          ...state,
          origin: masked(state.origin),
          averageMs: ms,
        })),
      })),
    },
  ]);
};

/** The caches in the memory of this process. */
const ownLayers =
  ({ derivatives, infos, structure, tiles }: MemberParts): (() => readonly CacheStatus[]) =>
  () => {
    const front = derivatives?.front;
    const memory = front && { ...front.held, maxBytes: front.capacity, ...front.tally };
    return [
      ...(memory ? [{ layer: "memory", kind: "HeapCache", ...memory } as const] : []),
      { layer: "infos", ...infos.held, ...infos.tally },
      keptStatus("structure", structure),
      keptStatus("tiles", tiles),
    ];
  };

const keptStatus = (
  layer: "structure" | "tiles",
  { bytes, maxBytes, tally }: MeasuredCache,
): CacheStatus => ({ layer, bytes, maxBytes, ...tally });

const storeSample = ({
  derivatives,
}: MemberParts): readonly Pick<CacheStatus, "layer" | "hits" | "misses" | "bytes">[] => {
  const tally = derivatives?.back?.tally;
  return tally ? [{ layer: "store", hits: tally.hits, misses: tally.misses }] : [];
};

/** The excess milliseconds of a measured delay in nanoseconds. */
const lateness = (nanoseconds: number): number => {
  const ms = nanoseconds / 1e6 - loopLookMs;
  return Number.isFinite(ms) && ms > 0 && ms < 1e9 ? Math.round(ms * 100) / 100 : 0;
};

const formatStatus = ({ format, name, read, write }: Availability): FormatStatus => {
  const ability = ({ available, by, version, lacks }: Availability["read"]) => ({
    available,
    ...(by === undefined ? {} : { by }),
    ...(version === undefined ? {} : { version }),
    ...(lacks === undefined ? {} : { missing: lackAdvice(lacks) }),
  });
  return { format, name, read: ability(read), write: ability(write) };
};

/** Runs once for concurrent callers, and not again for a while. */
const remembered = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > statsAgeMs)
      last = { at: performance.now(), answer: ask() };
    return last.answer;
  };
};
