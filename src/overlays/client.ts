import type { HttpClient } from "../clients/http.ts";
import type { Config } from "../config/store.ts";
import { originOf } from "../sources/http.ts";
import { createWebClient } from "../sources/web-client.ts";
import { overlayKeys } from "./keys.ts";

const connections = 4;

/**
 * Accesses web servers for overlay images; the origin of `overlays.BasicStrategy.image` may be any.
 */
export const createOverlayClient = (config: Config): HttpClient => {
  const settings = config.view(overlayKeys);
  return createWebClient(config, {
    connections,
    isTrusted: (origin) => origin === originOf(settings()["overlays.BasicStrategy.image"]),
  });
};
