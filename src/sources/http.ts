import { createHash } from "node:crypto";
import { createHttpClient, type HttpClient } from "../clients/http.ts";
import { httpTrouble } from "../clients/http-failures.ts";
import { loggable } from "../clients/loggable-error.ts";
import { defineKeys, type Settings } from "../config/keys.ts";
import { fail, ServerError } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { productVersion } from "../core/product.ts";
import { addressOf } from "./http-address.ts";
import { basic, takeLogin } from "./http-login.ts";
import { type HttpPlace, reachHttp } from "./http-reach.ts";
import { rememberRedirects } from "./http-redirects.ts";
import { objectResponse, type Question } from "./http-response.ts";
import { placeByScript } from "./http-script.ts";
import { defineSource } from "./kind.ts";
import { ownRemote } from "./own-remote.ts";
import { StoreFailure } from "./remote/failures.ts";
import { remoteSource } from "./remote/source.ts";
import type { RemoteObject, Store } from "./remote/store.ts";
import { isScripted, lookupStrategies } from "./script.ts";

const httpSourceKeys = defineKeys({
  "HttpSource.lookup_strategy": {
    type: "choice",
    choices: lookupStrategies,
    default: "BasicLookupStrategy",
    fileOnly: "program",
    doc: "How an identifier becomes an address: `BasicLookupStrategy` puts it between prefix and suffix; `ScriptLookupStrategy` calls `httpsource_resource_info` of the delegate.",
    restart: true,
  },
  "HttpSource.BasicLookupStrategy.url_prefix": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "Prepended to every identifier, as in `https://example.org/images/`. Any origin is allowed, this machine included. Blank: identifiers are whole URLs, and clients can make the server read any image of the public internet; private addresses are refused unless `HttpSource.allowed_origins` names their origin.",
  },
  "HttpSource.BasicLookupStrategy.url_suffix": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "Appended to every identifier, such as a file name extension or a query.",
  },
  "HttpSource.BasicLookupStrategy.auth.basic.username": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "User name for HTTP Basic authentication. It is sent to the origin of the prefix only, never after a redirect to another one.",
  },
  "HttpSource.BasicLookupStrategy.auth.basic.secret": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "Password for HTTP Basic authentication.",
  },
  "HttpSource.allowed_origins": {
    type: "list",
    default: [],
    fileOnly: "service",
    doc: "Origins, such as `http://10.0.0.5:8080`, that identifiers, a delegate and redirects may lead to although their addresses are not public. The origin of the prefix is always allowed with `BasicLookupStrategy`.",
  },
  "HttpSource.allow_insecure": {
    type: "boolean",
    default: false,
    fileOnly: "trust",
    doc: "Whether any TLS certificate is accepted. Anyone in between can then read and replace images.",
    restart: true,
  },
  "HttpSource.request_timeout": {
    type: "seconds",
    default: 30,
    min: 0.1,
    max: 3600,
    doc: "Maximum seconds for reading a part of a file, all attempts included. `source.connect_timeout` and `source.response_timeout` limit single steps.",
  },
  "HttpSource.proxy.http.host": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "Host of an HTTP proxy for all requests of this source. Blank: none.",
    restart: true,
  },
  "HttpSource.proxy.http.port": {
    type: "integer",
    default: null,
    min: 1,
    max: 65_535,
    fileOnly: "service",
    doc: "Port of the proxy.",
    restart: true,
  },
  "HttpSource.chunking.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether files are read in parts, where their server supports ranges. Otherwise every file is fetched whole before anything of it is served.",
  },
});

type HttpSettings = Settings<typeof httpSourceKeys>;

const strategyKey = "HttpSource.lookup_strategy";

/** Images on web servers. */
export const http = defineSource({
  keys: httpSourceKeys,
  unusable: async (settings) => unusable(settings),
  create: (settings, log = silent, remote = ownRemote(log)) => {
    const now = settings();
    const shared = remote.settings();
    const scripted = isScripted(now[strategyKey]);
    const isFree = now["HttpSource.BasicLookupStrategy.url_prefix"] === "";
    if (isFree && !scripted)
      log.warn(
        "HttpSource.BasicLookupStrategy.url_prefix is blank: identifiers are whole URLs, and clients can have the server read any image on the public internet.",
      );
    const client = rememberRedirects(
      createHttpClient({
        connectMs: shared["source.connect_timeout"] * 1_000,
        // Downloads come in addition to ranges.
        connections: shared["source.requests.max_per_origin"] * 2,
        insecure: now["HttpSource.allow_insecure"],
        ...proxyIn(now),
        isTrusted: (origin) => isAllowed(origin, settings()),
      }),
    );
    const store = scripted ? scriptedStore(client) : prefixedStore(settings, client);
    const source = remoteSource(store, remote, {
      requestMs: () => settings()["HttpSource.request_timeout"] * 1_000,
      byRanges: () => settings()["HttpSource.chunking.enabled"],
    });
    // Every image may be on another server.
    if (isFree || scripted) return source;
    return { ...source, reach: (signal) => reachHttp(client, prefixIn(settings()), signal) };
  },
});

const unusable = (settings: HttpSettings): string | undefined => {
  const prefix = settings["HttpSource.BasicLookupStrategy.url_prefix"];
  if (!isScripted(settings[strategyKey]) && prefix !== "" && originOf(prefix) === undefined)
    return "HttpSource.BasicLookupStrategy.url_prefix does not begin with http:// or https:// and a host. Set it to the address of the images.";
  const wrong = settings["HttpSource.allowed_origins"].find(
    (given) => originOf(given) === undefined,
  );
  if (wrong !== undefined)
    return "HttpSource.allowed_origins: expected origins such as https://example.org.";
  if (settings["HttpSource.proxy.http.host"] !== "" && !settings["HttpSource.proxy.http.port"])
    return "HttpSource.proxy.http.host is set, but HttpSource.proxy.http.port is not. Set both, or neither.";
  return undefined;
};

/** The origin of a URL; undefined for anything but http or https. */
export const originOf = (address: string): string | undefined => {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  return new URL(address).origin;
};

const isAllowed = (origin: string, settings: HttpSettings): boolean =>
  (!isScripted(settings[strategyKey]) &&
    origin === originOf(settings["HttpSource.BasicLookupStrategy.url_prefix"])) ||
  allowsOrigin(origin, settings);

/** Whether `HttpSource.allowed_origins` names an origin. */
export const allowsOrigin = (
  origin: string,
  settings: Pick<HttpSettings, "HttpSource.allowed_origins">,
): boolean => settings["HttpSource.allowed_origins"].some((given) => originOf(given) === origin);

/** The proxy for all requests, as an option of the HTTP client; none where not configured. */
export const proxyIn = (
  settings: Pick<HttpSettings, "HttpSource.proxy.http.host" | "HttpSource.proxy.http.port">,
): { readonly proxy?: string } => {
  const host = settings["HttpSource.proxy.http.host"];
  const port = settings["HttpSource.proxy.http.port"];
  return host === "" || port === null ? {} : { proxy: `http://${host}:${port}` };
};

/** The common prefix of the URLs of all images. */
const prefixIn = (settings: HttpSettings): HttpPlace => {
  const url = new URL(settings["HttpSource.BasicLookupStrategy.url_prefix"]);
  const authorization = loginFor(url, settings);
  return {
    url,
    headers: { "user-agent": agent, accept: "*/*" },
    ownHeaders: authorization === undefined ? {} : { authorization },
  };
};

const agent = `Vitrine/${productVersion} (HttpSource)`;

const prefixedStore = (settings: () => HttpSettings, client: HttpClient): Store => ({
  async locate(identifier) {
    const now = settings();
    const prefix = now["HttpSource.BasicLookupStrategy.url_prefix"];
    const suffix = now["HttpSource.BasicLookupStrategy.url_suffix"];
    const url = addressOf(identifier, { prefix, suffix });
    const authorization = loginFor(url, now);
    const own = authorization === undefined ? {} : { authorization };
    return objectAt(url, { identifier, client, own });
  },
  close: () => client.close(),
});

/** Locates images by the delegate. */
const scriptedStore = (client: HttpClient): Store => ({
  async locate(identifier, context) {
    const { url, own } = await placeByScript(identifier, context);
    return objectAt(url, { identifier, client, own });
  },
  close: () => client.close(),
});

/**
 * Basic credentials for a URL: those of the settings, or else those in the prefix; only for the
 * prefix's origin.
 */
const loginFor = (url: URL, settings: HttpSettings): string | undefined => {
  const inAddress = takeLogin(url);
  const prefix = settings["HttpSource.BasicLookupStrategy.url_prefix"];
  if (url.origin !== originOf(prefix)) return undefined;
  const user = settings["HttpSource.BasicLookupStrategy.auth.basic.username"];
  const secret = settings["HttpSource.BasicLookupStrategy.auth.basic.secret"];
  return user !== "" && secret !== "" ? basic(user, secret) : inAddress;
};

interface Located {
  readonly identifier: string;
  readonly client: HttpClient;
  /** Headers for the URL's origin only. */
  readonly own: Readonly<Record<string, string>>;
}

const objectAt = (url: URL, { identifier, client, own }: Located): RemoteObject => {
  const place = `${url.origin}${url.pathname}`;
  return {
    place,
    origin: url.origin,
    key: `${digest(JSON.stringify(own))} ${url.href}`,
    async get(range, { etag, signal }) {
      const question: Question = { identifier, place, etag, isRange: range !== undefined };
      const last = range && range.offset + range.length - 1;
      const headers = {
        "user-agent": agent,
        accept: "*/*",
        "accept-encoding": "identity",
        ...(range ? { range: `bytes=${range.offset}-${last}` } : {}),
      };
      const response = await client
        .get(url, { headers, ownHeaders: own, signal })
        .catch((error: unknown) => refuse(error, question, signal));
      const found = objectResponse(response, question);
      return { ...found, body: heeded(found.body, question, signal) };
    },
  };
};

/** Clients with other credentials must not get cached bytes that were read with these. */
const digest = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 12);

async function* heeded(
  body: AsyncIterable<Uint8Array>,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    refuse(error, question, signal);
  }
}

const refuse = (error: unknown, { identifier, place }: Question, signal: AbortSignal): never => {
  signal.throwIfAborted();
  if (error instanceof ServerError) throw error;
  const cause = loggable(error);
  const trouble = httpTrouble(error);
  if (trouble === "forbidden")
    return fail(
      "denied",
      `The address of '${identifier}' is one that this server may not read.`,
      cause,
    );
  if (trouble === "late")
    return fail("late", "The storage of the image did not respond in time.", cause);
  const retry = trouble === "broken";
  throw new StoreFailure(`${place} could not be read.`, { retry, cause });
};
