import type { HttpClient } from "../clients/http.ts";
import { createOriginClient } from "../clients/single-origin.ts";
import type { Config } from "../config/store.ts";
import type { Delegate } from "../core/delegate.ts";
import type { Logger } from "../core/log.ts";
import type { SourcePart } from "../core/source.ts";
import { createDelegate, type DelegatePlace } from "../delegate/delegates.ts";
import {
  createHttpDelegate,
  type HttpDelegate,
  type HttpPlace,
  httpDelegateUrl,
} from "../delegate/http/delegate.ts";
import { rubyWebClient } from "../sources/ruby-web.ts";
import { createWebClient } from "../sources/web-client.ts";

/** The configured delegate, be it a script or a service. */
export interface OpenedDelegate {
  readonly delegate: Delegate;
  /** Its location, for checks and status; absent for a script. */
  readonly place?: DelegateService;
  close(): Promise<void>;
}

/** A remote delegate, monitored like remote sources. */
export interface DelegateService {
  readonly name: string;
  readonly kind: string;
  readonly source: Required<Pick<SourcePart["source"], "reach" | "origins">>;
}

type DelegatePace = Pick<HttpPlace, "lookMs" | "retryMs">;

/** Maximum connections of each process to a delegate, and milliseconds for establishing each. */
const connections = { connections: 32, connectMs: 5_000 };

/** A delegate over HTTP without connections yet. */
export const httpDelegateAt = (
  config: Config,
  log: Logger,
  url: URL,
  pace: DelegatePace = {},
): HttpDelegate & { end(): Promise<void> } => {
  const client = createOriginClient(url.origin, connections);
  const made = createHttpDelegate(config, log, { ...pace, url, send: client.send });
  return {
    ...made,
    async end() {
      made.close();
      await client.close();
    },
  };
};

/**
 * Opens the configured delegate; undefined where there is none. One over HTTP that cannot be
 * reached is tried again until it can; its methods fail until then. Throws `malformed` where a
 * script cannot be loaded.
 */
export const openDelegate = async (
  config: Config,
  log: Logger,
  place: DelegatePlace,
): Promise<OpenedDelegate | undefined> => {
  const url = httpDelegateUrl(config);
  if (url === undefined) {
    const web = createDelegateWeb(config);
    const loaded = await createDelegate(config, log, { web: rubyWebClient(web), ...place });
    return (
      loaded && {
        delegate: loaded.delegate,
        async close() {
          loaded.close();
          await web.close();
        },
      }
    );
  }
  const { delegate, service, reach, state, end } = httpDelegateAt(config, log, url);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    log.warn(
      "delegate.http.url is not encrypted: anyone in between can read cookies and headers, and change answers. Use https, or a host on this machine.",
      { url: url.href },
    );
  await service.start();
  return {
    delegate,
    place: {
      name: "delegate.http",
      kind: "delegate.http",
      source: { reach, origins: () => [state()] },
    },
    close: end,
  };
};

/** Sends HTTP requests of Ruby delegates. Opens no connection before the first. */
export const createDelegateWeb = (config: Config): HttpClient =>
  createWebClient(config, { connections: 16 });

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
