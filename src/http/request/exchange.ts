import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Settings } from "../../config/keys.ts";
import type { RequestContext } from "../../core/context.ts";
import type { DelegateSession } from "../../core/delegate.ts";
import { Timings } from "../../core/timings.ts";
import { httpKeys } from "../connection/keys.ts";
import { authorityReader } from "./authority.ts";
import { type Deadline, Deadlines } from "./deadline.ts";
import type { HttpDeps } from "./deps.ts";
import { forwardingNotes } from "./forwarding-notes.ts";
import { answerKeys, timingKeys } from "./keys.ts";
import { type Trust, trustIn } from "./proxies.ts";
import type { Reply } from "./reply.ts";
import type { Target } from "./target.ts";
import { type PublicAddress, publicAddress } from "./urls.ts";

/** A received request. Fastify's requests are of this type. */
export interface ReceivedRequest {
  readonly raw: IncomingMessage;
  /** Unique among all requests. */
  readonly id: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The target as received; the router overwrites that of `raw`. */
  readonly originalUrl: string;
}

/** A request and its response in flight, with everything derived from them once. */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly reply: Reply;
  readonly target: Target;
  /** Whether the target lies under `/iiif`. */
  readonly iiif: boolean;
  readonly address: PublicAddress;
  readonly deadline: Deadline;
  readonly timings: Timings;
  /** Whether `http.trusted_proxies` names the client's own address. */
  readonly trusted: boolean;
  /** Whether `http.trusted_proxies` names the peer of the connection. */
  readonly peerTrusted: boolean;
  /** Whether the response carries Server-Timing. */
  readonly tellsTimings: boolean;
  /** The requested image, once known. */
  readonly identifier: string | undefined;
  /** The context that the folders below get; `delegate` is the request's delegate session. */
  context(identifier: string, delegate?: DelegateSession): RequestContext;
}

/** Creates an exchange. */
export type OpenExchanges = (request: ReceivedRequest, reply: Reply) => Exchange;

/** Returns the function that creates exchanges; it reads the settings for each. */
export const exchanges = (deps: HttpDeps, targetOf: (raw: string) => Target): OpenExchanges => {
  const http = deps.config.view(httpKeys);
  const answering = deps.config.view(answerKeys);
  const timing = deps.config.view(timingKeys);
  const noteForwarding = forwardingNotes(deps.log);
  let trusted: readonly string[] | undefined;
  let trust: Trust = () => false;
  const readAuthority = authorityReader();
  const deadlines = new Deadlines(deps.ending);
  return (request, reply) => {
    const settings = http();
    if (trusted !== settings["http.trusted_proxies"]) {
      trusted = settings["http.trusted_proxies"];
      trust = trustIn(trusted);
    }
    const target = targetOf(request.originalUrl);
    const { socket } = request.raw;
    const deadline = deadlines.start(reply.raw, settings["http.request_timeout"]);
    const timings = new Timings();
    const peer = socket.remoteAddress ?? "";
    const baseUri = answering().base_uri;
    noteForwarding({ headers: request.headers, peer, trusted: trust(peer), baseUri });
    const address = publicAddress(
      {
        headers: request.headers,
        encrypted: "encrypted" in socket && socket.encrypted === true,
        peer,
        local: { address: socket.localAddress ?? "", port: socket.localPort ?? 0 },
        authority: target.authority,
      },
      baseUri,
      trust,
      readAuthority,
    );
    return new OpenExchange(
      { request, reply, target, address, deadline, timings },
      { trust, peer, tells: timing()["http.server_timing"] },
    );
  };
};

/** Decides whether the client may see timings and whose headers are believed. */
interface ClientTrust {
  readonly trust: Trust;
  /** The address of the connection's other end. */
  readonly peer: string;
  /** `http.server_timing` when the request arrived. */
  readonly tells: Settings<typeof timingKeys>["http.server_timing"];
}

/**
 * A class, because getters in an object literal give every object a hidden class of its own, and
 * each access to its fields then misses V8's inline caches: 10 µs a request.
 */
class OpenExchange implements Exchange {
  readonly request: ReceivedRequest;
  readonly reply: Reply;
  readonly target: Target;
  readonly iiif: boolean;
  readonly address: PublicAddress;
  readonly deadline: Deadline;
  readonly timings: Timings;
  identifier: string | undefined = undefined;
  readonly #client: ClientTrust;

  // A property, because callers destructure it.
  readonly context = (identifier: string, delegate?: DelegateSession): RequestContext => {
    this.identifier = identifier;
    return new ExchangeContext(this, identifier, delegate);
  };

  constructor(
    parts: Pick<Exchange, "request" | "reply" | "target" | "address" | "deadline" | "timings">,
    client: ClientTrust,
  ) {
    this.request = parts.request;
    this.reply = parts.reply;
    this.target = parts.target;
    this.iiif = parts.target.segments[0] === "iiif";
    this.address = parts.address;
    this.deadline = parts.deadline;
    this.timings = parts.timings;
    this.#client = client;
  }

  get trusted(): boolean {
    return this.#client.trust(this.address.client);
  }

  get peerTrusted(): boolean {
    return this.#client.trust(this.#client.peer);
  }

  get tellsTimings(): boolean {
    return this.#client.tells === "all" || (this.#client.tells === "trusted" && this.trusted);
  }
}

/** A class for the same reason as `OpenExchange`. */
class ExchangeContext implements RequestContext {
  readonly requestId: string;
  readonly identifier: string;
  readonly timings: Timings;
  readonly delegate?: DelegateSession;
  readonly #deadline: Deadline;

  constructor(
    { request, timings, deadline }: Pick<Exchange, "request" | "timings" | "deadline">,
    identifier: string,
    delegate: DelegateSession | undefined,
  ) {
    this.requestId = request.id;
    this.identifier = identifier;
    this.timings = timings;
    if (delegate !== undefined) this.delegate = delegate;
    this.#deadline = deadline;
  }

  // Created on first use: most requests end before anything needs it.
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }
}

/** The public base URI of an image, no trailing slash; `identifier` is the raw segment. */
export const imageUri = ({ address }: Exchange, version: number, identifier: string): string =>
  `${address.base}/iiif/${version}/${address.identifier ?? identifier}`;
