import { readFile } from "node:fs/promises";
import { openRedis } from "../clients/redis.ts";
import { defineKeys, type Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { redisStore } from "./redis-store.ts";
import { defineStore } from "./store.ts";

const redisCacheKeys = defineKeys({
  "RedisCache.host": {
    type: "string",
    default: "localhost",
    fileOnly: "service",
    doc: "The Redis host. If Redis evicts keys by itself, it should evict only those that expire (`maxmemory-policy volatile-lru`, for example): the lists of entries must stay.",
    restart: true,
  },
  "RedisCache.port": {
    type: "integer",
    default: 6379,
    fileOnly: "service",
    min: 1,
    max: 65_535,
    doc: "The Redis port.",
    restart: true,
  },
  "RedisCache.ssl": {
    type: "boolean",
    default: false,
    fileOnly: "service",
    doc: "Whether the connection to Redis is encrypted, with its certificate verified.",
    restart: true,
  },
  "RedisCache.ssl_ca": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "A PEM file with the certificate authorities for Redis; blank for the usual ones.",
    restart: true,
  },
  "RedisCache.username": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The Redis user; blank for the default one.",
    restart: true,
  },
  "RedisCache.password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The Redis password; blank for none.",
    restart: true,
  },
  "RedisCache.database": {
    type: "integer",
    default: 0,
    fileOnly: "service",
    min: 0,
    doc: "The number of the Redis database.",
    restart: true,
  },
  "RedisCache.key_prefix": {
    type: "string",
    default: "{vitrine}:",
    fileOnly: "service",
    doc: "Prefix of all keys used in Redis; no others are ever touched. Servers with the same prefix share their entries. The text in braces determines the slot in a cluster: all keys must be in one.",
    restart: true,
  },
  "RedisCache.connection_timeout": {
    type: "seconds",
    default: 5,
    min: 0.1,
    max: 300,
    doc: "Seconds after which an attempt to connect to Redis is given up; it is retried in the background.",
    restart: true,
  },
});

/** Entries in Redis, which applies bounds and time to live on every `put`. */
export const redis = defineStore({
  keys: redisCacheKeys,
  open: async (settings, context) => {
    const prefix = settings["RedisCache.key_prefix"];
    if (prefix === "")
      fail("malformed", "RedisCache.key_prefix: expected a prefix for all keys; got nothing.");
    const client = await openRedis(await addressOf(settings), {
      purpose: "RedisCache",
      log: context.log,
    });
    return redisStore(client, prefix, context);
  },
});

const addressOf = async (settings: Settings<typeof redisCacheKeys>) => ({
  host: settings["RedisCache.host"],
  port: settings["RedisCache.port"],
  username: settings["RedisCache.username"],
  password: settings["RedisCache.password"],
  database: settings["RedisCache.database"],
  connectMs: settings["RedisCache.connection_timeout"] * 1000,
  ...(settings["RedisCache.ssl"] ? { tls: await authorities(settings["RedisCache.ssl_ca"]) } : {}),
});

const authorities = async (path: string): Promise<{ readonly ca?: string }> => {
  if (path === "") return {};
  const ca = await readFile(path, "utf8").catch((cause) =>
    fail("malformed", `RedisCache.ssl_ca: expected a file of certificates; got ${path}.`, cause),
  );
  return { ca };
};
