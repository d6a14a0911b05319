import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "../core/log.ts";
import { library } from "./library.ts";

/** A self-healing connection to Redis; commands fail at once while there is none. */
export type RedisClient = Redis;

/** The location of a Redis, and its user. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  /** Empty: the default user. */
  readonly username: string;
  /** Empty: none. */
  readonly password: string;
  readonly database: number;
  /** Set for encrypted connections; `ca`, in PEM, adds to the trusted authorities. */
  readonly tls?: { readonly ca?: string };
  /** Time limit of connecting in milliseconds. */
  readonly connectMs: number;
}

/** Milliseconds of silence after which a server that owes a reply is considered gone. */
const silenceMs = 30_000;
/** Maximum pause between two attempts to connect, in milliseconds. */
const maxPauseMs = 5_000;

/**
 * Connects to Redis, for at most `connectMs`; afterwards it keeps trying in the background.
 * `purpose` is its user, as the beginning of a sentence. Throws `malformed` where the package is
 * missing.
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
    // Callers have better things to do than to wait for a server that is down.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, maxPauseMs),
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password }),
    ...(tls ? { tls: { servername: host, ...tls } } : {}),
  });
  // An outage is logged once, however many attempts fail while it lasts.
  let isTold = false;
  client.on("error", (error) => {
    if (isTold) return;
    isTold = true;
    log.warn("Redis cannot be reached; retrying.", { host, port, error });
  });
  client.on("ready", () => {
    if (isTold) log.info("Redis is reached again.", { host, port });
    isTold = false;
  });
  const waited = new AbortController();
  await Promise.race([
    // The reason has been logged by then.
    client.connect().catch(() => undefined),
    pause(connectMs, undefined, { signal: waited.signal }).catch(() => undefined),
  ]);
  waited.abort();
  return client;
};
