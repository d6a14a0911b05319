import { createHash } from "node:crypto";
import {
  openS3Client,
  type S3Client,
  type S3Sending,
  type S3Service,
} from "../clients/s3-client.ts";
import { type Lazy, openOnce } from "./lazy.ts";

/** A client and the name of its service. */
export interface OpenS3 {
  readonly client: S3Client;
  /** As in `https://s3.eu-central-1.amazonaws.com`. */
  readonly origin: string;
  /** Identifies service and credentials without revealing them. */
  readonly id: string;
}

/** Clients by service and credentials: a caller with other credentials gets another client. */
export interface S3Clients {
  of(service: S3Service): Promise<OpenS3>;
  close(): Promise<void>;
}

/**
 * Maximum number of services and credentials that a delegate may name; the least recently used are
 * evicted.
 */
const maxClients = 64;
/**
 * Maximum number of evicted clients that may still finish; beyond these the oldest is closed at
 * once.
 */
const maxFinishing = 64;
/** Milliseconds that an evicted client has to finish its requests. */
const finishMs = 900_000;

/** Creates clients on demand. The caller retries. */
export const createS3Clients = (
  sending: () => Pick<S3Sending, "connections" | "connectMs">,
): S3Clients => {
  const clients = new Map<string, Lazy<OpenS3>>();
  const finishing = new Map<Lazy<OpenS3>, NodeJS.Timeout>();

  const finish = (client: Lazy<OpenS3>): Promise<void> => {
    clearTimeout(finishing.get(client));
    finishing.delete(client);
    return destroy(client);
  };

  const letGo = (key: string, client: Lazy<OpenS3>): void => {
    clients.delete(key);
    finishing.set(client, setTimeout(() => void finish(client), finishMs).unref());
    const [oldest] = finishing.keys();
    if (finishing.size > maxFinishing && oldest) void finish(oldest);
  };

  return {
    of(service) {
      const key = keyOf(service);
      const client =
        clients.get(key) ??
        openOnce(() => open(service, { ...sending(), attempts: 1, followsRegions: true }));
      // Moved to the end: the map's order is the order of use.
      clients.delete(key);
      clients.set(key, client);
      const [oldest] = clients;
      if (clients.size > maxClients && oldest) letGo(...oldest);
      return client.get();
    },
    async close() {
      const all = [...clients.values(), ...finishing.keys()];
      clients.clear();
      await Promise.all(all.map(finish));
    },
  };
};

/** Closes a client; one that failed to open has nothing to close. */
const destroy = async (client: Lazy<OpenS3>): Promise<void> => {
  const opened = await client.opened()?.catch(() => undefined);
  opened?.client.client.destroy();
};

const keyOf = (service: S3Service): string => {
  const { endpoint, region, accessKeyId, secretKey, sessionToken = "", addressing = "" } = service;
  return JSON.stringify([endpoint, region, accessKeyId, secretKey, sessionToken, addressing]);
};

const open = async (service: S3Service, sending: S3Sending): Promise<OpenS3> => {
  const client = await openS3Client(service, sending);
  const region = await client.client.config.region();
  const custom = await client.client.config.endpoint?.();
  const origin = custom
    ? `${custom.protocol}//${custom.hostname}${custom.port ? `:${custom.port}` : ""}`
    : `https://s3.${region}.amazonaws.com`;
  const id = createHash("sha256").update(keyOf(service)).digest("base64url").slice(0, 16);
  return { client, origin, id };
};
