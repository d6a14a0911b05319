import { defineKeys } from "../config/keys.ts";

/** Which derivative cache there is, and how it is used. */
export const cachingKeys = defineKeys({
  "cache.server.derivative.enabled": {
    type: "boolean",
    default: true,
    cantaloupe: false,
    doc: "Whether finished pictures are kept for later requests.",
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
    doc: "Where finished pictures are kept, and what is known of images: `HeapCache` is the memory of the process; all other kinds outlive it and can be shared by many servers, and have memory in front of them (HeapCache.front_share).",
    restart: true,
  },
  "cache.server.derivative.ttl_seconds": {
    type: "seconds",
    default: 0,
    min: 0,
    doc: "Seconds a kept picture may lie unused before it is dropped; 0 for no end. When a picture was used is known to within a tenth of it.",
    restart: true,
  },
  "cache.server.derivative.max_size": {
    type: "bytes",
    default: 0,
    min: 0,
    doc: "Most bytes that a kind of cache outside the process may hold; 0 for no bound. The least recently used go first: in the file system as soon as there is too much, elsewhere when the cache is swept (cache.server.worker.enabled).",
    restart: true,
  },
  "cache.server.derivative.max_entries": {
    type: "integer",
    default: 0,
    min: 0,
    doc: "Most pictures a cache may hold, as cache.server.derivative.max_size; 0 for no bound.",
    restart: true,
  },
  "cache.server.derivative.lock": {
    type: "boolean",
    default: false,
    doc: "Whether servers that share a cache in Redis or a database also share the work: a picture that one of them draws is waited for by the others.",
  },
  "cache.server.read_timeout": {
    type: "seconds",
    default: 2,
    min: 0.001,
    max: 60,
    doc: "Seconds after which a cache that has not answered counts as having nothing.",
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
    doc: "Whether what was learned of an image is remembered as long as its file stays the same.",
  },
  "cache.server.purge_missing": {
    type: "boolean",
    default: false,
    doc: "Whether everything kept of an image is removed once the source says that it is gone.",
  },
  "cache.server.worker.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether caches are swept from time to time: what is too old or too much is let go of, and what broken writers left behind. One process of a server does it.",
    restart: true,
  },
  "cache.server.worker.interval": {
    type: "seconds",
    default: 86_400,
    min: 1,
    doc: "Seconds from the end of one sweep to the next; the first begins a minute after the start.",
    restart: true,
  },
});
