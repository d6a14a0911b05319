import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "../core/log.ts";
import { library } from "./library.ts";

/** A connection to Redis that mends itself; what is asked while there is none fails at once. */
export type RedisClient = Redis;

/** Where a Redis is, and the caller. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  /** Blank: the default user. */
  readonly username: string;
  /** Blank: none is asked for. */
  readonly password: string;
  readonly database: number;
  /**
   * Given where the connection is encrypted; `ca`, in PEM, where others than the usual authorities
   * are trusted.
   */
  readonly tls?: { readonly ca?: string };
  /** Milliseconds until an attempt to connect is given up. */
  readonly connectMs: number;
}

/**
 * A server that owes an answer and says nothing for so long is no longer there, in milliseconds.
 */
const silenceMs = 30_000;
/** The longest pause between two attempts to connect, in milliseconds. */
const maxPauseMs = 5_000;

/**
 * Connects to Redis, for at most `connectMs`; where it is not reached by then, it is tried again
 * and again in the background. `purpose` is what needs it, as the beginning of a sentence. Throws
 * `malformed` where the package is missing.
 */
export const openRedis = async (
  address: RedisAddress,
  { purpose, log }: { readonly purpose: string; readonly log: Logger },
): Promise<RedisClient> => {
  const { Redis: Client } = await library("ioredis@6.0.0", {
    load: () => import("ioredis"),
    purpose,
  });
  const { host, port, username, password, database, tls, connectMs } = address;
  const client = new Client({
    host,
    port,
    db: database,
    connectTimeout: connectMs,
    socketTimeout: silenceMs,
    lazyConnect: true,
    // Whoever asks has something better to do than to wait for a server that is away.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, maxPauseMs),
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password }),
    ...(tls ? { tls: { servername: host, ...tls } } : {}),
  });
  // An outage is told of once, however many attempts fail while it lasts.
  let isTold = false;
  client.on("error", (error) => {
    if (isTold) return;
    isTold = true;
    log.warn("Redis cannot be reached; it is tried again.", { host, port, error });
  });
  client.on("ready", () => {
    if (isTold) log.info("Redis is reached again.", { host, port });
    isTold = false;
  });
  const waited = new AbortController();
  await Promise.race([
    // Why it failed has been told of by then.
    client.connect().catch(() => undefined),
    pause(connectMs, undefined, { signal: waited.signal }).catch(() => undefined),
  ]);
  waited.abort();
  return client;
};
