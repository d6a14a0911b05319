import type { IncomingMessage } from "node:http";
import { quoted } from "../../core/identifier.ts";
import { parseAuthority, type ReadAuthority } from "./authority.ts";
import { encodeLiterals, type Target } from "./target.ts";

/** A request with its original target, which the router overwrites. */
interface ReceivedRequest {
  readonly request: Pick<IncomingMessage, "method" | "httpVersion" | "headers" | "rawHeaders">;
  readonly raw: string;
  readonly target: Target;
}

/**
 * What makes it ambiguous which server or resource a request means, in a sentence; undefined where
 * nothing does. Node's parser accepts these, and proxies may read them differently (RFC 9112 §3.2).
 */
export const requestFault = (
  { request, raw, target }: ReceivedRequest,
  read: ReadAuthority = parseAuthority,
): string | undefined => {
  const { method, httpVersion, headers } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return `HTTP: expected version 1.1 or 1.0, got ${httpVersion}`;
  if (hasSeveralHosts(request)) return "Host: expected one header, got several";
  const { host = "" } = headers;
  if (host !== "" && read(host) === undefined)
    return `Host: expected a name or an address, with or without a port, got ${shown(host)}`;
  const { authority } = target;
  if (authority !== undefined && read(authority) === undefined)
    return `target: expected a name or an address, with or without a port, behind http://, got ${shown(authority)}`;
  if (authority === undefined && !raw.startsWith("/") && !(method === "OPTIONS" && raw === "*"))
    return `target: expected a path that begins with a slash, or an address that begins with http://, got ${shown(raw)}`;
  return undefined;
};

/** The value is untrusted. */
const shown = (text: string): string => quoted(encodeLiterals(text));

/** Node exposes the first of several Host headers and drops the others. */
export const hasSeveralHosts = ({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): boolean => {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1;
};
