import { imageKind, infoKind, type KindNumber, otherKind } from "../../administration/counting.ts";
import type { Requests } from "../../administration/requests.ts";
import type { Settings } from "../../config/keys.ts";
import type { StageTimes } from "../../core/timings.ts";
import type { HttpDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import type { timingKeys } from "./keys.ts";
import { reportIfSlow } from "./timing.ts";

/**
 * Once the exchange is over, however it ends: an entry for the access log, and a warning where it
 * was slow.
 */
export const recordAccess = (
  exchange: Exchange,
  { access, log, management }: Pick<HttpDeps, "access" | "log" | "management">,
  settings: () => Settings<typeof timingKeys>,
): void => {
  const { request, reply, target, timings } = exchange;
  const time = new Date();
  const started = performance.now();
  let whole = false;
  reply.raw.once("finish", () => {
    whole = true;
  });
  reply.raw.once("close", () => {
    timings.end();
    const status = whole ? reply.raw.statusCode : 499;
    const stages = timings.times;
    const { way } = timings;
    const { referer, "user-agent": agent } = request.headers;
    const milliseconds = performance.now() - started;
    count(exchange, management?.requests, { status, milliseconds, stages });
    access({
      remote: exchange.address.client || "-",
      time,
      method: request.method,
      target: target.query === undefined ? target.path : `${target.path}?${target.query}`,
      protocol: `HTTP/${request.raw.httpVersion}`,
      status,
      bytes:
        whole && request.method !== "HEAD" ? Number(reply.getHeader("content-length") ?? 0) : 0,
      ...(referer === undefined ? {} : { referrer: referer }),
      ...(agent === undefined ? {} : { agent }),
      milliseconds,
      request: request.id,
      ...(exchange.identifier === undefined ? {} : { identifier: exchange.identifier }),
      stages,
      way,
    });
    log.debug(`${request.method} ${target.path} was answered with ${status}`, {
      request: request.id,
      stages,
      way,
    });
    reportIfSlow(exchange, { log, seconds: settings()["log.slow_request"], status });
  });
};

interface Outcome {
  readonly status: number;
  readonly milliseconds: number;
  readonly stages: StageTimes;
}

const count = (
  exchange: Exchange,
  requests: Requests | undefined,
  { status, milliseconds, stages }: Outcome,
): void => {
  if (!isOfPanel(exchange, status)) requests?.note(kindOf(exchange), status, milliseconds);
  if (exchange.identifier !== undefined) requests?.noteStages(exchange.identifier, stages);
};

/**
 * What the control panel asks by itself every few seconds would hide in its figures what others
 * ask.
 */
const isOfPanel = ({ target: { segments } }: Exchange, status: number): boolean =>
  segments[0] === "admin" && status < 400;

const kindOf = ({ iiif, target: { segments } }: Exchange): KindNumber => {
  if (!iiif) return otherKind;
  // Below /iiif/N, an image is five segments and what is known of one is two.
  if (segments.length === 7) return imageKind;
  return segments.length === 4 ? infoKind : otherKind;
};
