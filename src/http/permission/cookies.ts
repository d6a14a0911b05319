import type { Auth } from "../../auth/auth.ts";
import type { Session, SessionLookup } from "../../auth/sessions.ts";
import type { Exchange } from "../request/exchange.ts";

type CookieRequest = Pick<Exchange, "request" | "address">;

/**
 * Cookie names contain the port, since browsers share cookies between the ports of a host and
 * several servers may run there.
 */
const nameAt = (base: string, service: string): string => {
  const port = URL.canParse(base) ? new URL(base).port : "";
  return `vitrine-auth-${service}${port === "" ? "" : `-${port}`}`;
};

/**
 * Checks the session cookie of a service; undefined where there is none. One of another service is
 * invalid.
 */
export const sessionCookie = (
  { request, address }: CookieRequest,
  { sessions }: Pick<Auth, "sessions">,
  service: string,
): SessionLookup | undefined => {
  const value = cookiesOf(request.headers.cookie)[nameAt(address.base, service)];
  if (value === undefined || value === "") return undefined;
  const found = sessions.find(value);
  return typeof found === "string" || found.service === service ? found : "invalid";
};

/** The session that a client has at a service. */
export const sessionAt = (
  asking: CookieRequest,
  auth: Pick<Auth, "sessions">,
  service: string,
): Session | undefined => {
  const found = sessionCookie(asking, auth, service);
  return typeof found === "object" ? found : undefined;
};

/** The session at a service that an access token stands for. */
export const sessionOfToken = (
  { sessions }: Pick<Auth, "sessions">,
  token: string | undefined,
  service: string,
): Session | undefined => {
  const found = token === undefined ? undefined : sessions.standsFor(token);
  return typeof found === "object" && found.service === service ? found : undefined;
};

/** Set-Cookie for a session that lasts so many seconds; 0 deletes the cookie. */
export const setSession = (
  { address }: Pick<Exchange, "address">,
  { name }: { readonly name: string },
  value: string,
  seconds: number,
): string => {
  const { protocol, pathname } = new URL(address.base);
  // Viewers run on other sites, to which browsers send cookies only with these attributes, and only
  // over HTTPS.
  const site = protocol === "https:" ? "Secure; SameSite=None" : "SameSite=Lax";
  return `${nameAt(address.base, name)}=${value}; Max-Age=${seconds}; Path=${pathname}; HttpOnly; ${site}`;
};

/**
 * The cookies of a request by name; of several with the same name the first counts (RFC 6265 §5.4).
 */
export const cookiesOf = (header: string | undefined): Readonly<Record<string, string>> => {
  const cookies: Record<string, string> = Object.create(null);
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    if (name !== "") cookies[name] ??= pair.slice(at + 1).trim();
  }
  return cookies;
};
