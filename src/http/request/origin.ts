import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import type { Exchange } from "./exchange.ts";
import { reads } from "./methods.ts";

/** The headers that tell a request's origin. */
export interface OriginHeaders {
  readonly request: Pick<Exchange["request"], "method" | "headers">;
  readonly address: Pick<Exchange["address"], "base">;
}

/**
 * Refuses, as `denied`, requests that another site makes a browser send. Browsers state the origin
 * of a request, and no page can suppress that: in `Sec-Fetch-Site` over secure connections, else in
 * `Origin` for requests that change something. A client that sends neither is not a browser. Links
 * from other sites are allowed.
 */
export const refuseOtherSites = ({
  request: { method, headers },
  address: { base },
}: OriginHeaders): void => {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) {
    if (site === "same-origin" || site === "none") return;
    if (headers["sec-fetch-mode"] === "navigate" && reads(method)) return;
    fail(
      "denied",
      `This request came from another site (Sec-Fetch-Site: ${quoted(String(site))}); only pages of this server may send it.`,
    );
  }
  const { origin } = headers;
  if (origin === undefined) return;
  // A proxy may have changed the scheme, but not whose host it is.
  const hosts = [hostOf(base), headers.host?.toLowerCase()];
  const host = hostOf(origin);
  if (host !== undefined && hosts.includes(host)) return;
  fail(
    "denied",
    `This request came from a page of ${quoted(origin)}; only pages of this server, which is known as ${quoted(base)}, may send it. Behind a proxy, set base_uri or send X-Forwarded-Host.`,
  );
};

/** Undefined for `null` and other values that are no URL. */
const hostOf = (address: string): string | undefined =>
  /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).host : undefined;
