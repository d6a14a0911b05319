import { createHttpClient, type HttpClient } from "../clients/http.ts";
import type { Config } from "../config/store.ts";
import { allowsOrigin, http, proxyIn } from "./http.ts";
import { remoteKeys } from "./remote/keys.ts";

/**
 * Accesses web servers under the rules of `HttpSource`: addresses have to be public, unless the
 * origin is one of `HttpSource.allowed_origins` or `isTrusted` allows it.
 */
export const createWebClient = (
  config: Config,
  { connections, isTrusted = () => false }: WebClientOptions,
): HttpClient => {
  const settings = config.view({ ...http.keys, ...remoteKeys });
  const now = settings();
  return createHttpClient({
    connectMs: now["source.connect_timeout"] * 1_000,
    connections,
    insecure: now["HttpSource.allow_insecure"],
    ...proxyIn(now),
    isTrusted: (origin) => isTrusted(origin) || allowsOrigin(origin, settings()),
  });
};

/** How web servers are accessed. */
export interface WebClientOptions {
  /** Maximum number of connections to one server. */
  readonly connections: number;
  /** Whether an origin may be accessed whatever its addresses are. */
  readonly isTrusted?: (origin: string) => boolean;
}
