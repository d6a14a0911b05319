import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { withoutMapping } from "../../core/networks.ts";
import { type Authority, parseAuthority, portOf, type ReadAuthority } from "./authority.ts";
import type { Trust } from "./proxies.ts";
import { encodeLiterals } from "./target.ts";

/** The connection's own facts about a request's address. */
export interface ConnectionFacts {
  readonly headers: IncomingHttpHeaders;
  readonly encrypted: boolean;
  /** The peer's address. */
  readonly peer: string;
  /** The address and port on which the connection was accepted. */
  readonly local: { readonly address: string; readonly port: number };
  /** Of an absolute-form target. */
  readonly authority: string | undefined;
}

/** The address by which the client knows the server. */
export interface PublicAddress {
  /** Scheme, host, port and path prefix; no trailing slash. */
  readonly base: string;
  /** X-Forwarded-ID: replaces the identifier in public URIs, encoded. */
  readonly identifier?: string;
  /** The client's own address as far as trusted proxies report it, else the peer's. */
  readonly client: string;
  /** The peer's address, where it is a trusted proxy that names its client. */
  readonly proxy?: string;
}

/**
 * Determines the public address: `baseUri` where set, else a trusted peer's X-Forwarded-* (or,
 * without any of those, Forwarded, RFC 7239), else the Host header, else the socket. Malformed
 * values are ignored.
 */
export const publicAddress = (
  arrival: ConnectionFacts,
  baseUri: string,
  trust: Trust,
  read: ReadAuthority = parseAuthority,
): PublicAddress => {
  const peer = withoutMapping(arrival.peer);
  const forwarded = trust(peer) ? readForwarded(arrival.headers) : notForwarded;
  const base = configuredBase(baseUri) ?? baseOf(arrival, forwarded, read);
  if (forwarded === notForwarded) return { base, client: peer };
  return {
    base,
    client: clientOf(peer, forwarded.clients ?? [], trust),
    ...(forwarded.clients === undefined ? {} : { proxy: peer }),
    ...(forwarded.identifier === undefined ? {} : { identifier: forwarded.identifier }),
  };
};

const configuredBase = (baseUri: string): string | undefined =>
  baseUri !== "" && /^https?:\/\/[^\s"<>?#]+$/i.test(baseUri)
    ? baseUri.replace(/\/+$/, "")
    : undefined;

/** The addresses that proxies reported, in the order of the header. */
type Hops = readonly (string | undefined)[];

interface Forwarded {
  readonly scheme?: string;
  readonly authority?: Authority;
  readonly port?: number;
  readonly path?: string;
  readonly identifier?: string;
  /** As listed: the client first, the last proxy but one last; undefined for an invalid address. */
  readonly clients?: Hops;
}

const notForwarded: Forwarded = {};

const baseOf = (arrival: ConnectionFacts, forwarded: Forwarded, read: ReadAuthority): string => {
  const scheme = forwarded.scheme ?? (arrival.encrypted ? "https" : "http");
  const authority =
    forwarded.authority ??
    (arrival.authority === undefined ? undefined : read(arrival.authority)) ??
    read(arrival.headers.host ?? "") ??
    socketAuthority(arrival.local);
  const port = forwarded.port ?? authority.port;
  const suffix = port === undefined || port === defaultPorts[scheme] ? "" : `:${port}`;
  return `${scheme}://${authority.host}${suffix}${forwarded.path ?? ""}`;
};

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

const socketAuthority = ({ address, port }: ConnectionFacts["local"]): Authority => {
  const plain = withoutMapping(address);
  return { host: isIP(plain) === 6 ? `[${plain}]` : plain || "localhost", port };
};

const readForwarded = (headers: IncomingHttpHeaders): Forwarded => {
  if (!forwardingHeaders.some((name) => headers[name] !== undefined)) return notForwarded;
  const classic = {
    scheme: schemeOf(first(headers["x-forwarded-proto"])),
    authority: parseAuthority(withoutScheme(first(headers["x-forwarded-host"]))),
    port: portOf(first(headers["x-forwarded-port"])),
    path: pathOf(first(headers["x-forwarded-path"])),
  };
  const rest = {
    identifier: identifierOf(first(headers["x-forwarded-id"])),
    clients: addressesOf(headers["x-forwarded-for"]),
  };
  // A proxy that sets one of the two may pass the other on unchecked, so they are never mixed.
  const spoken = Object.keys(headers).some((name) =>
    /^x-forwarded-(proto|host|port|path|for)$/.test(name),
  );
  return present(spoken ? { ...classic, ...rest } : { ...rest, ...standard(headers.forwarded) });
};

/** Headers by which proxies report the original host and client. */
export const forwardingHeaders = [
  "forwarded",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-path",
  "x-forwarded-id",
  "x-forwarded-for",
] as const;

const present = (values: { [K in keyof Forwarded]: Forwarded[K] | undefined }): Forwarded =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/**
 * Maximum number of elements read from Forwarded and X-Forwarded-For, from the end: earlier ones
 * may be forged.
 */
const maxHops = 32;

/**
 * Parses `Forwarded` as proxies write it, more leniently than RFC 7239. The package
 * `forwarded-parse` rejects the whole header at an unquoted port or IPv6 address, so a client could
 * hide what a proxy appended.
 */
const standard = (
  header: string | undefined,
): { scheme?: string | undefined; authority?: Authority | undefined; clients?: Hops } => {
  if (header === undefined) return {};
  const hops = splitOutsideQuotes(header, ",");
  const first = parameters(hops[0] ?? "");
  const clients = hops.slice(-maxHops).map((hop) => addressOf(parameters(hop).get("for") ?? ""));
  return {
    scheme: schemeOf(first.get("proto")),
    authority: parseAuthority(first.get("host")),
    clients,
  };
};

const parameters = (element: string): Map<string, string> => {
  const found = new Map<string, string>();
  for (const pair of splitOutsideQuotes(element, ";")) {
    const at = pair.indexOf("=");
    if (at < 0) continue;
    const value = pair.slice(at + 1).trim();
    const unquoted = /^"(.*)"$/s.exec(value)?.[1]?.replace(/\\(.)/gs, "$1") ?? value;
    found.set(pair.slice(0, at).trim().toLowerCase(), unquoted);
  }
  return found;
};

const splitOutsideQuotes = (text: string, separator: "," | ";"): string[] => {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === "\\") at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
};

const first = (header: string | string[] | undefined): string | undefined => {
  const line = Array.isArray(header) ? header[0] : header;
  return line?.split(",")[0]?.trim();
};

const schemeOf = (value: string | undefined): string | undefined => {
  const scheme = value?.toLowerCase();
  return scheme === "http" || scheme === "https" ? scheme : undefined;
};

const withoutScheme = (value: string | undefined): string | undefined =>
  value?.replace(/^https?:\/\//i, "").replace(/\/$/, "");

const pathOf = (value: string | undefined): string | undefined => {
  const path = value?.replace(/^\/+/, "").replace(/\/+$/, "");
  if (path === undefined || path.length > 1_024) return undefined;
  return path === "" ? "" : `/${inPath(path)}`;
};

const identifierOf = (value: string | undefined): string | undefined =>
  value === undefined || value === "" || value.length > 4_096 ? undefined : inPath(value);

const inPath = (text: string): string => encodeLiterals(text).replaceAll("?", "%3F");

const addressesOf = (header: string | string[] | undefined): Hops | undefined => {
  const line = Array.isArray(header) ? header.join(",") : header;
  return line?.split(",").slice(-maxHops).map(addressOf);
};

// Both headers may add a port: 192.0.2.1:4711, "[2001:db8::1]:4711".
const addressOf = (value: string): string | undefined => {
  const bare = value.trim().replace(/^"|"$/g, "");
  const found =
    /^\[([0-9A-Fa-f:.]+)\](?::\d+)?$/.exec(bare) ?? /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(bare);
  const address = withoutMapping(found?.[1] ?? bare);
  return isIP(address) === 0 ? undefined : address;
};

/**
 * Clients may put anything at the front of the list; what trusted proxies appended at its end
 * counts. Where one of them withholds an address (`unknown`), nothing before it can be trusted.
 *
 * `@fastify/proxy-addr` reads X-Forwarded-For only, takes a port for part of the address, and
 * returns `unknown` as an address.
 */
const clientOf = (peer: string, listed: Hops, trust: Trust): string => {
  let client = peer;
  for (const address of listed.toReversed()) {
    if (address === undefined) break;
    client = address;
    if (!trust(address)) break;
  }
  return client;
};
