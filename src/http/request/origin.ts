import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import type { Exchange } from "./exchange.ts";
import { reads } from "./methods.ts";

/** What of a request says where it comes from. */
export interface Coming {
  readonly request: Pick<Exchange["request"], "method" | "headers">;
  readonly address: Pick<Exchange["address"], "base">;
}

/**
 * Refuses, as `denied`, what another site has a browser ask. Browsers say where a request comes
 * from, and no page can keep them from it: in `Sec-Fetch-Site` where the connection is safe, else
 * in `Origin`, with whatever changes something. A client that sends neither is no browser. Links
 * from elsewhere may be followed.
 */
export const refuseOtherSites = ({
  request: { method, headers },
  address: { base },
}: Coming): void => {
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
  // The scheme may have been lost at a proxy; whose host it is was not.
  const hosts = [hostOf(base), headers.host?.toLowerCase()];
  const host = hostOf(origin);
  if (host !== undefined && hosts.includes(host)) return;
  fail(
    "denied",
    `This request came from a page of ${quoted(origin)}; only pages of this server, which is known as ${quoted(base)}, may send it. Behind a proxy, set base_uri or send X-Forwarded-Host.`,
  );
};

/** Undefined for `null` and whatever else is no address. */
const hostOf = (address: string): string | undefined =>
  /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).host : undefined;
