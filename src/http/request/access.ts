import type { IncomingMessage, ServerResponse } from "node:http";
import { imageKind, infoKind, type KindNumber, otherKind } from "../../administration/counting.ts";
import type { Requests } from "../../administration/requests.ts";
import type { Settings } from "../../config/keys.ts";
import type { Logger } from "../../core/log.ts";
import type { Timings } from "../../core/timings.ts";
import type { HttpDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import type { timingKeys } from "./keys.ts";
import { whenOver } from "./reply.ts";
import type { Target } from "./target.ts";

/** A response in flight, as far as records of it go. */
export interface Responding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Id of the request. */
  readonly id: string;
  /** The client's address; empty where unknown. */
  readonly client: string;
  readonly target: Pick<Target, "path" | "query" | "segments">;
  readonly timings: Timings;
  /** The requested image, once known. */
  readonly identifier: () => string | undefined;
  /** Length of a body sent as a whole, in bytes. */
  readonly bytes: () => number;
}

/** The recorded parts of an exchange. */
export const respondingOf = (exchange: Exchange): Responding => {
  const { request, reply, target, timings, address } = exchange;
  return {
    request: request.raw,
    response: reply.raw,
    id: request.id,
    client: address.client,
    target,
    timings,
    identifier: () => exchange.identifier,
    bytes: () => (request.method === "HEAD" ? 0 : Number(reply.getHeader("content-length") ?? 0)),
  };
};

/**
 * Records a response once it is over, however it ends: in the access log, in the metrics, and as a
 * warning where it was slow. A response to a client that disconnected has the status 499.
 */
export const recordAccess = (
  responding: Responding,
  deps: Pick<HttpDeps, "access" | "recorded" | "log" | "management">,
  settings: () => Settings<typeof timingKeys>,
): void => {
  const time = Date.now();
  const started = performance.now();
  const { response } = responding;
  whenOver(response, (whole) => {
    responding.timings.end();
    const milliseconds = performance.now() - started;
    const ended = { time, milliseconds, whole, status: whole ? response.statusCode : 499 };
    record(responding, ended, deps);
    const seconds = settings()["log.slow_request"];
    reportIfSlow(responding, { log: deps.log, seconds, status: ended.status });
  });
};

/** How a response ended. */
interface Ended {
  /** Arrival of the request, in milliseconds since 1970. */
  readonly time: number;
  readonly milliseconds: number;
  readonly whole: boolean;
  readonly status: number;
}

/** Creates only those records that are written: most servers have neither log. */
const record = (
  responding: Responding,
  { time, milliseconds, whole, status }: Ended,
  { access, recorded, log, management }: Parameters<typeof recordAccess>[1],
): void => {
  const { request, id, target, timings } = responding;
  const identifier = responding.identifier();
  count(responding, management?.requests, { status, milliseconds, identifier });
  if (recorded?.access() ?? true)
    access({
      ...factsOf(responding, identifier),
      time: new Date(time),
      status,
      bytes: whole ? responding.bytes() : 0,
      milliseconds,
      stages: timings.times,
      way: timings.way,
    });
  if (recorded?.debug() ?? true)
    log.debug(`${request.method} ${target.path} was answered with ${status}`, {
      request: id,
      stages: timings.times,
      way: timings.way,
    });
};

/** The access log's fields of a request. */
const factsOf = ({ request, id, client, target }: Responding, identifier: string | undefined) => {
  const { referer, "user-agent": agent } = request.headers;
  return {
    remote: client || "-",
    method: request.method ?? "",
    target: target.query === undefined ? target.path : `${target.path}?${target.query}`,
    protocol: `HTTP/${request.httpVersion}`,
    ...(referer === undefined ? {} : { referrer: referer }),
    ...(agent === undefined ? {} : { agent }),
    request: id,
    ...(identifier === undefined ? {} : { identifier }),
  };
};

const count = (
  { target, timings }: Responding,
  requests: Requests | undefined,
  {
    status,
    milliseconds,
    identifier,
  }: {
    readonly status: number;
    readonly milliseconds: number;
    readonly identifier: string | undefined;
  },
): void => {
  if (!isOfPanel(target, status)) requests?.note(kindOf(target), status, milliseconds);
  if (identifier !== undefined) requests?.noteReading(identifier, timings.reading);
};

/** The panel's own requests, every few seconds, would distort its figures. */
const isOfPanel = ({ segments }: Pick<Target, "segments">, status: number): boolean =>
  segments[0] === "admin" && status < 400;

const kindOf = ({ segments }: Pick<Target, "segments">): KindNumber => {
  if (segments[0] !== "iiif") return otherKind;
  // Below /iiif/N, an image has five segments and an info.json two.
  if (segments.length === 7) return imageKind;
  return segments.length === 4 ? infoKind : otherKind;
};

/** Logs a warning about a response that took longer than the given seconds; 0 turns that off. */
const reportIfSlow = (
  { request, id, target, timings, identifier: image }: Responding,
  {
    log,
    seconds,
    status,
  }: { readonly log: Logger; readonly seconds: number; readonly status: number },
): void => {
  if (seconds === 0 || timings.total < seconds * 1_000) return;
  const identifier = image();
  const spent = (timings.total / 1_000).toFixed(1);
  log.warn(`Slow: ${spent} s for ${request.method} ${target.path}`, {
    request: id,
    ...(identifier === undefined ? {} : { identifier }),
    status,
    stages: timings.times,
    ...(timings.way === undefined ? {} : { way: timings.way }),
  });
};
