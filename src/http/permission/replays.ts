import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../../config/keys.ts";
import type { Snapshot } from "../../config/store.ts";
import { withoutMapping } from "../../core/networks.ts";
import { Timings } from "../../core/timings.ts";
import type { KnownImage } from "../../service/known.ts";
import { recordAccess } from "../request/access.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { timingKeys } from "../request/keys.ts";
import { hasSeveralHosts } from "../request/request-line.ts";
import type { Target } from "../request/target.ts";
import { serverTiming } from "../request/timing.ts";
import { forwardingHeaders } from "../request/urls.ts";
import { EarlyDecision, type Question } from "./replay-check.ts";

/** A response that may be replayed for an identical request. */
interface Replay {
  /** The settings under which it was made. */
  readonly settings: Snapshot;
  /** Alternating names and values, without headers that differ between responses. */
  readonly headers: readonly string[];
  readonly target: Target;
  readonly picture: CachedBody;
  /** What to ask the delegate before; absent without a delegate. */
  readonly asking?: Question & { readonly base: string };
}

/**
 * Where the body is cached. A value rather than a function, whose closure would retain the whole
 * request for each response.
 */
interface CachedBody {
  readonly image: KnownImage;
  readonly identifier: string;
  /** Name of the derivative. */
  readonly name: string;
}

/** The response's body, in the cache or not. */
interface SentBody extends Pick<CachedBody, "image" | "identifier"> {
  /** Key of the plan. */
  readonly key: string;
}

/**
 * Responses whose bodies are in memory, by host and target: an identical request gets the same
 * response without being parsed again. Requests with headers that may change the response
 * (conditions, forwarding headers) are not answered this way. The delegate decides each time
 * whether the client may have it; where access rules depend on clients, nothing is stored.
 */
export class Replays {
  /** In order of use. */
  readonly #kept = new Map<string, Replay>();
  readonly #deps: HttpDeps;
  /** The delegate's decisions on requests on their way to their routes. */
  readonly #begun = new WeakMap<IncomingMessage, EarlyDecision>();
  readonly #timing: () => Settings<typeof timingKeys>;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
    this.#timing = deps.config.view(timingKeys);
  }

  /**
   * Stores the response whose headers are set and whose body is about to be sent, if it may be
   * replayed. `question` is what the delegate is asked then; absent without a delegate.
   */
  keep(exchange: Exchange, { image, identifier, key }: SentBody, question?: Question): void {
    const { request, reply, target, address } = exchange;
    const name = this.#deps.images.cachedName(image, identifier, key);
    if (name === undefined || !isPlain(request.raw)) return;
    const headers: string[] = [];
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (!changing.has(name) && value !== undefined) headers.push(name, String(value));
    if (this.#kept.size >= maxKept) this.#forgetOldest();
    this.#kept.set(keyOf(request.raw, request.originalUrl), {
      settings: this.#deps.config.current,
      headers,
      target,
      picture: { image, identifier, name },
      ...(question ? { asking: { ...question, base: address.base } } : {}),
    });
  }

  /** The delegate's decisions on a request so far; undefined where it was not asked. */
  begun(request: IncomingMessage): EarlyDecision | undefined {
    return this.#begun.get(request);
  }

  #isCached({ image, identifier, name }: CachedBody): boolean {
    return this.#deps.images.isCached(image, identifier, name);
  }

  /** The cached body while its inputs are unchanged. */
  #body({ image, identifier, name }: CachedBody): Uint8Array | undefined {
    return this.#deps.images.cachedNow(image, identifier, name);
  }

  /**
   * Replays a stored response if it is still valid and the delegate allows it; returns whether it
   * did. Synchronous where the delegate is; the promise never rejects.
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const key = keyOf(request, request.url);
    const replay = this.#kept.get(key);
    if (replay === undefined || this.#deps.ending?.begun || !isPlain(request)) return false;
    if (this.#timing()["http.server_timing"] === "trusted") return false;
    const timings = new Timings();
    timings.enter("cache");
    const replaying = { request, response, id: randomUUID(), timings };
    if (this.#deps.delegate === undefined) return this.#send(key, replay, replaying);
    // The context must still be current.
    if (replay.asking === undefined || !this.#holds(replay)) return false;
    const { base, id, facts } = replay.asking;
    const address = { base, client: remoteOf(request) };
    const asking = { raw: request, address, target: replay.target, requestId: replaying.id };
    const begun = new EarlyDecision(this.#deps.delegate, id, asking);
    const follow = (isAllowed: boolean): boolean => {
      if (isAllowed && this.#send(key, replay, replaying)) return true;
      if (!this.#holds(replay)) begun.forgetAuthorize();
      this.#begun.set(request, begun);
      return false;
    };
    const isAllowed = begun.allows(facts);
    return isAllowed instanceof Promise ? isAllowed.then(follow) : follow(isAllowed);
  }

  #holds({ settings, picture }: Replay): boolean {
    return settings === this.#deps.config.current && this.#isCached(picture);
  }

  /** The body of a stored response that is still valid; deletes the response otherwise. */
  #bodyNow(key: string, replay: Replay): Uint8Array | undefined {
    const body =
      replay.settings === this.#deps.config.current ? this.#body(replay.picture) : undefined;
    this.#kept.delete(key);
    if (body !== undefined) this.#kept.set(key, replay);
    return body;
  }

  /** Sends a stored response if it is still valid; returns whether it did. */
  #send(key: string, replay: Replay, replaying: Replaying): boolean {
    const body = this.#bodyNow(key, replay);
    if (body === undefined) return false;
    const { request, response, id, timings } = replaying;
    timings.enter("answer");
    const { target, picture } = replay;
    const { identifier } = picture;
    const client = remoteOf(request);
    const bytes = (): number => body.length;
    recordAccess(
      { request, response, id, client, target, timings, identifier: () => identifier, bytes },
      this.#deps,
      this.#timing,
    );
    const own = ["x-request-id", id, "content-length", String(body.length)];
    const tellsTimings = this.#timing()["http.server_timing"] === "all";
    const timing = serverTiming({ timings, tellsTimings });
    if (timing !== undefined) own.push("server-timing", timing);
    response.writeHead(200, [...replay.headers, ...own]).end(body);
    return true;
  }

  #forgetOldest(): void {
    const { value } = this.#kept.keys().next();
    if (value !== undefined) this.#kept.delete(value);
  }
}

interface Replaying {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly timings: Timings;
}

/** Maximum number of stored responses of about two kilobytes each. */
const maxKept = 8_192;

/** `url` is the original target: the router overwrites that of the message. */
const keyOf = ({ headers }: IncomingMessage, url: string | undefined): string =>
  `${headers.host ?? ""} ${url ?? ""}`;

/** Headers that differ between responses. */
const changing: ReadonlySet<string> = new Set(["x-request-id", "content-length", "server-timing"]);

const remoteOf = ({ socket }: IncomingMessage): string =>
  withoutMapping(socket.remoteAddress ?? "");

/** Whether the response depends on nothing of the request but host and target. */
const isPlain = (request: IncomingMessage): boolean => {
  const { method, headers, httpVersionMajor } = request;
  if (method !== "GET" || headers.host === undefined) return false;
  if (httpVersionMajor !== 1 || hasSeveralHosts(request)) return false;
  for (const name of uncacheableHeaders) if (headers[name] !== undefined) return false;
  return true;
};

/** Requests with these headers may get another response than the same target without them. */
const uncacheableHeaders = ["if-none-match", "if-modified-since", ...forwardingHeaders];
