import { ServerError } from "../../core/errors.ts";
import { stopping } from "../connection/shutdown.ts";
import { authorityReader } from "./authority.ts";
import type { HttpDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import { reads } from "./methods.ts";
import { redirect, withoutTrailingSlash } from "./redirects.ts";
import { requestFault } from "./request-line.ts";

/** How a request begins: it goes on to its route, or is over already, by a response or an error. */
export type Opening = "continue" | "answered" | ServerError;

/** Returns what every request goes through before its route. */
export const openings = ({
  productVersion,
  ending,
}: Pick<HttpDeps, "productVersion" | "ending">): ((exchange: Exchange) => Opening) => {
  const poweredBy = `Vitrine/${productVersion}`;
  const readAuthority = authorityReader();
  return (exchange) => {
    const { request, reply, target } = exchange;
    reply
      .header("x-powered-by", poweredBy)
      .header("x-request-id", request.id)
      .header("x-content-type-options", "nosniff");
    // A process that fails its liveness check may be killed; it should finish its requests first.
    if (ending?.begun) {
      reply.header("connection", "close");
      if (target.path !== "/livez") return stopping();
    }
    if (exchange.iiif) reply.header("access-control-allow-origin", "*");
    const parts = { request: request.raw, raw: request.originalUrl, target };
    const fault = requestFault(parts, readAuthority);
    if (fault !== undefined) return new ServerError("malformed", fault);
    const path = withoutTrailingSlash(target);
    if (path === undefined || !reads(request.method)) return "continue";
    redirect(exchange, 301, path);
    return "answered";
  };
};
