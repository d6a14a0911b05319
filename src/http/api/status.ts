import { availableParallelism } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { CacheStatus, Status } from "../../administration/status.ts";
import type { ApiAnswer, ApiRequest } from "./exchange.ts";

/** `GET /status`: Cantaloupe's keys, and further ones. */
export const showStatus = async ({ management }: ApiRequest): Promise<ApiAnswer> => ({
  status: 200,
  body: statusJson(await management.administration.status()),
});

/** The status in Cantaloupe's order as far as that goes. */
export const statusJson = (status: Status) => ({
  application: { version: status.version },
  infoCache: infoCache(status),
  vm: virtualMachine(),
  server: {
    name: "Vitrine",
    startedAt: status.startedAt.toISOString(),
    uptimeMsec: status.uptimeMs,
    workersWanted: status.workersWanted,
    workers: status.workers.map(({ worker, pid, uptimeMs, memory }) => ({
      worker,
      pid,
      uptimeMsec: uptimeMs,
      residentBytes: memory.resident,
      usedHeapBytes: memory.heapUsed,
      totalHeapBytes: memory.heapTotal,
    })),
  },
  lanes: status.lanes,
  caches: status.caches.map(withRate),
  sources: status.sources,
  formats: status.formats,
  warnings: status.warnings,
});

const infoCache = ({ caches }: Status): { readonly size: number; readonly maxSize: number } => {
  const infos = caches.find(({ layer }) => layer === "infos");
  return { size: infos?.entries ?? 0, maxSize: infos?.maxEntries ?? 0 };
};

/** `hitRate` is a fraction 0 to 1; null before the first lookup. */
const withRate = (cache: CacheStatus) => {
  const all = cache.hits + cache.misses;
  return { ...cache, hitRate: all === 0 ? null : cache.hits / all };
};

/** The process that responds; `usedHeapPercent` is a fraction 0 to 1, as in Cantaloupe. */
const virtualMachine = () => {
  const {
    used_heap_size: used,
    total_heap_size: total,
    heap_size_limit: max,
  } = getHeapStatistics();
  return {
    vendor: "Node.js",
    name: `V8 ${process.versions.v8}`,
    version: process.versions.node,
    info: `${process.platform} ${process.arch}`,
    numProcessors: availableParallelism(),
    usedHeapBytes: used,
    freeHeapBytes: Math.max(0, total - used),
    totalHeapBytes: total,
    maxHeapBytes: max,
    usedHeapPercent: used / max,
    uptimeMsec: Math.round(process.uptime() * 1_000),
  };
};
