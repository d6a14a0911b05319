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
    doc: "The host of the Redis that keeps pictures. One that evicts keys by itself should evict only those that expire (`maxmemory-policy volatile-lru`, say): the lists of what is kept must stay.",
    restart: true,
  },
  "RedisCache.port": {
    type: "integer",
    default: 6379,
    fileOnly: "service",
    min: 1,
    max: 65_535,
    doc: "The port of the Redis that keeps pictures.",
    restart: true,
  },
  "RedisCache.ssl": {
    type: "boolean",
    default: false,
    fileOnly: "service",
    doc: "Whether the connection to Redis is encrypted, and its certificate checked.",
    restart: true,
  },
  "RedisCache.ssl_ca": {
    type: "path",
    default: "",
    fileOnly: "path",
    doc: "A file of certificates, in PEM, that vouch for the one of Redis; blank for the usual authorities.",
    restart: true,
  },
  "RedisCache.username": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The user of Redis; blank for the default one.",
    restart: true,
  },
  "RedisCache.password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The password of Redis; blank where it asks for none.",
    restart: true,
  },
  "RedisCache.database": {
    type: "integer",
    default: 0,
    fileOnly: "service",
    min: 0,
    doc: "The number of the database within Redis.",
    restart: true,
  },
  "RedisCache.key_prefix": {
    type: "string",
    default: "{vitrine}:",
    fileOnly: "service",
    doc: "What all keys begin with that are used in Redis; no other is ever touched. Servers with the same prefix share what they keep. What stands in braces decides where a cluster keeps the keys: it has to keep them together.",
    restart: true,
  },
  "RedisCache.connection_timeout": {
    type: "seconds",
    default: 5,
    min: 0.1,
    max: 300,
    doc: "Seconds after which an attempt to reach Redis is given up; it is tried again in the background.",
    restart: true,
  },
});

/** Entries in Redis, which keeps to the bounds and the time to live by itself at every `put`. */
export const redis = defineStore({
  keys: redisCacheKeys,
  open: async (settings, context) => {
    const prefix = settings["RedisCache.key_prefix"];
    if (prefix === "")
      fail("malformed", "RedisCache.key_prefix: expected what all keys begin with; got nothing.");
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
