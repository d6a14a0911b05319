import { createHttpClient, type HttpClient } from "../clients/http.ts";
import type { Config } from "../config/store.ts";
import { allowsOrigin, http, originOf, proxyIn } from "../sources/http.ts";
import { remoteKeys } from "../sources/remote/keys.ts";
import { overlayKeys } from "./keys.ts";

const mostConnections = 4;

/**
 * Reaches the web servers that overlays lie on, under the rules of `HttpSource`: addresses have to be public, unless the origin is that of
 * `overlays.BasicStrategy.image` or one of `HttpSource.allowed_origins`.
 */
export const createOverlayClient = (config: Config): HttpClient => {
  const settings = config.view({ ...overlayKeys, ...http.keys, ...remoteKeys });
  const now = settings();
  return createHttpClient({
    connectMs: now["source.connect_timeout"] * 1_000,
    connections: mostConnections,
    insecure: now["HttpSource.allow_insecure"],
    ...proxyIn(now),
    isTrusted: (origin) =>
      origin === originOf(settings()["overlays.BasicStrategy.image"]) ||
      allowsOrigin(origin, settings()),
  });
};
