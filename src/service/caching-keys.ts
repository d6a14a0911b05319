import { defineKeys } from "../config/keys.ts";

/** Keys that select the derivative cache and its behaviour. */
export const cachingKeys = defineKeys({
  "cache.server.derivative.enabled": {
    type: "boolean",
    default: true,
    cantaloupe: false,
    doc: "Whether derivatives are cached.",
    restart: true,
  },
  "cache.server.derivative": {
    type: "choice",
    choices: [
      "",
      "HeapCache",
      "FilesystemCache",
      "JdbcCache",
      "RedisCache",
      "S3Cache",
      "AzureStorageCache",
    ],
    default: "HeapCache",
    cantaloupe: "",
    doc: "Where derivatives and image infos are cached: `HeapCache` is the memory of the process; all other kinds survive a restart, can be shared by many servers, and have memory in front of them (HeapCache.front_share).",
    restart: true,
  },
  "cache.server.derivative.ttl_seconds": {
    type: "seconds",
    default: 0,
    min: 0,
    doc: "Seconds after which an unused derivative is deleted; 0 for never. The time of last use is accurate to a tenth of it.",
    restart: true,
  },
  "cache.server.derivative.max_size": {
    type: "bytes",
    default: 0,
    min: 0,
    doc: "Maximum size in bytes of a cache outside the process; 0 for no limit. The least recently used entries are evicted first: in the file system at once, elsewhere when the cache is swept (cache.server.worker.enabled).",
    restart: true,
  },
  "cache.server.derivative.max_entries": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "Maximum number of derivatives in a cache, as for cache.server.derivative.max_size; 0 for no limit.",
    restart: true,
  },
  "cache.server.derivative.lock": {
    type: "boolean",
    default: false,
    doc: "Whether servers that share a cache in Redis or a database also share the work: while one renders a derivative, the others wait for it.",
  },
  "cache.server.read_timeout": {
    type: "seconds",
    default: 2,
    min: 0.001,
    max: 60,
    doc: "Seconds after which a cache that has not answered counts as a miss.",
    restart: true,
  },
  "cache.server.write_timeout": {
    type: "seconds",
    default: 30,
    min: 0.001,
    max: 600,
    doc: "Seconds after which writing an entry is given up.",
    restart: true,
  },
  "cache.server.info.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether image infos are cached as long as the file stays the same.",
  },
  "cache.server.purge_missing": {
    type: "boolean",
    default: false,
    doc: "Whether all cached data of an image is deleted once the source says that it is gone.",
  },
  "cache.server.worker.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether caches are swept periodically: expired entries, those beyond the limits and leftovers of crashed writers are deleted. One process of a server does it.",
    restart: true,
  },
  "cache.server.worker.interval": {
    type: "seconds",
    default: 86_400,
    min: 1,
    doc: "Seconds between the end of one sweep and the next; the first begins a minute after the start.",
    restart: true,
  },
});
