import type { FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "../../config/keys.ts";
import type { RequestContext } from "../../core/context.ts";
import type { DelegateSession } from "../../core/delegate.ts";
import { Timings } from "../../core/timings.ts";
import { httpKeys } from "../connection/keys.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import type { HttpDeps } from "./deps.ts";
import { forwardingNotes } from "./forwarding-notes.ts";
import { answerKeys, timingKeys } from "./keys.ts";
import { type Trust, trustIn } from "./proxies.ts";
import type { Target } from "./target.ts";
import { type PublicAddress, publicAddress } from "./urls.ts";

/** One request and its answer under way, with what is found out about them once. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly target: Target;
  /** Whether the target lies under `/iiif`. */
  readonly iiif: boolean;
  readonly address: PublicAddress;
  readonly deadline: Deadline;
  readonly timings: Timings;
  /** Whether `http.trusted_proxies` names the client's own address. */
  readonly trusted: boolean;
  /** Whether `http.trusted_proxies` names whoever the connection comes from. */
  readonly peerTrusted: boolean;
  /** Whether the client is told the timings. */
  readonly tellsTimings: boolean;
  /** The image that the request turned out to be about. */
  readonly identifier: string | undefined;
  /** What the floors below may know of the request; `delegate` is its session with the delegate. */
  context(identifier: string, delegate?: DelegateSession): RequestContext;
}

/** Returns what makes an exchange of a request; the settings are read again for each. */
export const exchanges = (
  deps: HttpDeps,
  targetOf: (raw: string) => Target,
): ((request: FastifyRequest, reply: FastifyReply) => Exchange) => {
  const http = deps.config.view(httpKeys);
  const answering = deps.config.view(answerKeys);
  const timing = deps.config.view(timingKeys);
  const noteForwarding = forwardingNotes(deps.log);
  let trusted: readonly string[] | undefined;
  let trust: Trust = () => false;
  return (request, reply) => {
    const settings = http();
    if (trusted !== settings["http.trusted_proxies"]) {
      trusted = settings["http.trusted_proxies"];
      trust = trustIn(trusted);
    }
    const target = targetOf(request.originalUrl);
    const { socket } = request.raw;
    const deadline = startDeadline(reply.raw, settings["http.request_timeout"], deps);
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
    );
    return new OpenExchange(
      { request, reply, target, address, deadline, timings },
      { trust, peer, tells: timing()["http.server_timing"] },
    );
  };
};

/** What tells whom to trust with a response's timings, and whose headers. */
interface ClientTrust {
  readonly trust: Trust;
  /** The address at the other end of the connection. */
  readonly peer: string;
  /** `http.server_timing` as it was when the request came. */
  readonly tells: Settings<typeof timingKeys>["http.server_timing"];
}

/**
 * A class, because getters in an object literal give every object a shape of its own, and each
 * access to its fields then misses V8's inline caches: 10 µs a request.
 */
class OpenExchange implements Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly target: Target;
  readonly iiif: boolean;
  readonly address: PublicAddress;
  readonly deadline: Deadline;
  readonly timings: Timings;
  identifier: string | undefined = undefined;
  readonly #client: ClientTrust;

  // A property, because callers take it out of the exchange.
  readonly context = (identifier: string, delegate?: DelegateSession): RequestContext => {
    this.identifier = identifier;
    const { deadline } = this;
    return {
      requestId: this.request.id,
      identifier,
      get signal() {
        return deadline.signal;
      },
      timings: this.timings,
      ...(delegate ? { delegate } : {}),
    };
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

/** The public base URI of an image, no trailing slash; `identifier` is the raw segment. */
export const imageUri = ({ address }: Exchange, version: number, identifier: string): string =>
  `${address.base}/iiif/${version}/${address.identifier ?? identifier}`;
