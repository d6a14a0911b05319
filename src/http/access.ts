import type { AccessEntry } from "../logging/access.ts";
import type { Exchange } from "./exchange.ts";

/** Hands an entry to the access log once the exchange is over, however it ends. */
export const recordAccess = (exchange: Exchange, access: (entry: AccessEntry) => void): void => {
  const { request, reply, target } = exchange;
  const time = new Date();
  const started = performance.now();
  let whole = false;
  reply.raw.once("finish", () => {
    whole = true;
  });
  reply.raw.once("close", () => {
    const { referer, "user-agent": agent } = request.headers;
    access({
      remote: exchange.address.client || "-",
      time,
      method: request.method,
      target: target.query === undefined ? target.path : `${target.path}?${target.query}`,
      protocol: `HTTP/${request.raw.httpVersion}`,
      status: whole ? reply.raw.statusCode : 499,
      bytes:
        whole && request.method !== "HEAD" ? Number(reply.getHeader("content-length") ?? 0) : 0,
      ...(referer === undefined ? {} : { referrer: referer }),
      ...(agent === undefined ? {} : { agent }),
      milliseconds: performance.now() - started,
    });
  });
};
