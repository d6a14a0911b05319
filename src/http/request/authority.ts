import { isIP } from "node:net";
import { remembered } from "../../core/remembered.ts";

/** The name or address of a server, and its port where one is given. */
export interface Authority {
  /** A name or an address; IPv6 in brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * Reads `host` or `host:port`; undefined for anything else. A colon may stand without a port (RFC
 * 3986 §3.2.3).
 */
export const parseAuthority = (value: string | undefined): Authority | undefined => {
  const found =
    /^([A-Za-z0-9_](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{0,5}))?$/.exec(
      value ?? "",
    );
  if (found?.[1] === undefined) return undefined;
  const bracketed = found[1].startsWith("[");
  if (bracketed && isIP(found[1].slice(1, -1)) !== 6) return undefined;
  if (!found[2]) return { host: found[1], port: undefined };
  const port = portOf(found[2]);
  return port === undefined ? undefined : { host: found[1], port };
};

/** Parses as `parseAuthority` does. */
export type ReadAuthority = (text: string) => Authority | undefined;

/** As `parseAuthority`, with a cache, since requests name few hosts. */
export const authorityReader = (): ReadAuthority => remembered(maxHosts, parseAuthority);

/** Maximum number of hosts that are cached. */
const maxHosts = 1_000;

/** Reads a port from 1 to 65,535; undefined for anything else. */
export const portOf = (value: string | undefined): number | undefined => {
  const port = /^\d{1,5}$/.test(value ?? "") ? Number(value) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
};
