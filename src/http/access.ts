import type { Settings } from "../config/keys.ts";
import type { HttpDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import type { timingKeys } from "./keys.ts";
import { reportIfSlow } from "./timing.ts";

/** Once the exchange is over, however it ends: an entry for the access log, and a warning where it was slow. */
export const recordAccess = (
  exchange: Exchange,
  { access, log }: Pick<HttpDeps, "access" | "log">,
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
    const { referer, "user-agent": agent } = request.headers;
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
      milliseconds: performance.now() - started,
      request: request.id,
      ...(exchange.identifier === undefined ? {} : { identifier: exchange.identifier }),
      stages,
    });
    log.debug(`${request.method} ${target.path} was answered with ${status}`, {
      request: request.id,
      stages,
    });
    reportIfSlow(exchange, { log, seconds: settings()["log.slow_request"], status });
  });
};
