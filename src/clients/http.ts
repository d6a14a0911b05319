import type { IncomingHttpHeaders } from "node:http";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { checkHost, guardedConnector, type Resolver } from "./guarded-connection.ts";

/** How web servers are accessed. */
export interface HttpClientOptions {
  /** Time limit of connecting in milliseconds. */
  readonly connectMs: number;
  /** Maximum connections to one server. */
  readonly connections: number;
  /** Whether any certificate is accepted. */
  readonly insecure: boolean;
  /** A proxy for all requests, as in `http://proxy.example:3128`; absent for none. */
  readonly proxy?: string;
  /** Whether an origin may be accessed whatever its addresses are. */
  readonly isTrusted: (origin: string) => boolean;
  /** Resolves hosts that are not trusted; the system's resolver where absent. */
  readonly resolve?: Resolver;
}

/** A GET request. */
export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Headers for the URL's origin only: they are not sent on redirects to others. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The target of an earlier redirect of this URL: requested first, instead of the URL. */
  readonly start?: URL;
}

/** A request of any method. */
export interface SingleRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** A response whose body has to be read or discarded. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
  /** The URL that responded, if not the requested one. */
  readonly redirected?: Redirected;
  /** Discards the body. */
  discard(): void;
}

/** The end of a chain of redirects. */
export interface Redirected {
  readonly url: URL;
  /** Seconds for which later requests may use it directly; 0: none. */
  readonly seconds: number;
}

export interface HttpClient {
  /**
   * Sends a GET and follows redirects. Throws `BadRedirect`, `ForbiddenAddress` and what undici
   * throws.
   */
  get(url: URL, request: HttpRequest): Promise<HttpResponse>;
  /**
   * Sends one request; a redirect is a response like any other. Throws `ForbiddenAddress` and what
   * undici throws.
   */
  send(url: URL, request: SingleRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** A redirect that cannot be followed: a loop, too many, or to something that is no web URL. */
export class BadRedirect extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BadRedirect";
  }
}

const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Maximum bytes of an unwanted body that are read to keep the connection. */
const worthReading = 16_384;
const worthWaitingMs = 1_000;
const keepAliveMs = 30_000;

/**
 * A client with connection pools, which are kept open for a while; HTTP/2 is used where offered.
 */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const { isTrusted, resolve } = options;
  const trusted = dispatcherOf(options, false);
  // A proxy makes the connections: hosts are resolved and checked before it is asked.
  const guarded = options.proxy === undefined ? dispatcherOf(options, true) : trusted;

  const send = async (url: URL, request: SingleRequest): Promise<HttpResponse> => {
    const isFree = isTrusted(url.origin);
    if (!isFree && options.proxy !== undefined) await checkHost(url.hostname, resolve);
    const { statusCode, headers, body } = await (isFree ? trusted : guarded).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      signal: request.signal,
    });
    return { status: statusCode, headers, body, discard: () => discard(body) };
  };

  return {
    send,

    async get(first, { headers, ownHeaders, signal, start }) {
      const seen = new Set<string>();
      let url = start ?? first;
      let seconds = Number.POSITIVE_INFINITY;
      for (;;) {
        const own = url.origin === first.origin ? ownHeaders : undefined;
        const response = await send(url, {
          method: "GET",
          headers: { ...headers, ...own },
          signal,
        });
        if (!redirects.has(response.status))
          return seen.size === 0 ? response : { ...response, redirected: { url, seconds } };
        response.discard();
        seconds = Math.min(seconds, secondsOf(response));
        seen.add(url.href);
        url = followed(response, url, seen);
      }
    },

    async close() {
      await Promise.all([...new Set([trusted, guarded])].map((each) => each.destroy()));
    },
  };
};

const dispatcherOf = (
  { connectMs, connections, insecure, proxy, resolve }: HttpClientOptions,
  isGuarded: boolean,
): Dispatcher => {
  const tls = insecure ? { rejectUnauthorized: false } : {};
  const shared = {
    connections,
    keepAliveTimeout: keepAliveMs,
    // Callers have deadlines.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: true,
  };
  if (proxy !== undefined)
    return new ProxyAgent({
      ...shared,
      uri: proxy,
      proxyTunnel: false,
      requestTls: { ...tls, timeout: connectMs },
      proxyTls: { timeout: connectMs },
    });
  const connect = { ...tls, timeout: connectMs, allowH2: true };
  return new Agent({
    ...shared,
    connect: isGuarded ? guardedConnector(connect, resolve) : connect,
  });
};

/**
 * How long a redirect is valid, in seconds: by its Cache-Control, within bounds, else by its status
 * (RFC 9111 §4.2).
 */
const secondsOf = ({ status, headers }: HttpResponse): number => {
  const control = String(headers["cache-control"] ?? "").toLowerCase();
  if (/\bno-(?:store|cache)\b/.test(control)) return 0;
  const [, told] = /\bmax-age="?(\d{1,9})/.exec(control) ?? [];
  if (told !== undefined) return Math.min(Number(told), maxRememberedSeconds);
  return status === 301 || status === 308 ? maxRememberedSeconds : temporarySeconds;
};

const maxRememberedSeconds = 3_600;
/**
 * For temporary redirects without Cache-Control: long enough for the tiles of a view, short for
 * signed URLs.
 */
const temporarySeconds = 30;

/**
 * The target of a redirect; throws `BadRedirect` where it must not be followed. `seen` are the URLs
 * so far.
 */
const followed = ({ headers }: HttpResponse, from: URL, seen: ReadonlySet<string>): URL => {
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, from.href))
    throw new BadRedirect("It redirects to nowhere.");
  const url = new URL(location, from);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new BadRedirect(`It redirects to a ${url.protocol} URL instead of http or https.`);
  url.hash = "";
  // Redirects with credentials are not followed.
  url.username = "";
  url.password = "";
  if (seen.has(url.href)) throw new BadRedirect("It redirects in circles.");
  if (seen.size > maxRedirects)
    throw new BadRedirect(`It redirects more than ${maxRedirects} times.`);
  return url;
};

/** Reads short bodies, so that the connection can be reused, and discards all others. */
const discard = (body: Dispatcher.ResponseData["body"]): void => {
  body.on("error", () => undefined);
  if (body.destroyed || body.readableEnded) return;
  const signal = AbortSignal.timeout(worthWaitingMs);
  body.dump({ limit: worthReading, signal }).catch(() => body.destroy());
};
