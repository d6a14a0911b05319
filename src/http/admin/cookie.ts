import { cookiePattern } from "../../administration/sessions.ts";

/**
 * The name of the cookie: browsers do not tell the ports of a host apart, and several servers may
 * run there.
 */
const nameAt = (base: string): string => {
  // Whoever asks says the host, and not every name that may be one makes an address.
  const port = URL.canParse(base) ? new URL(base).port : "";
  return port === "" ? "vitrine-session" : `vitrine-session-${port}`;
};

/** What a Cookie header says of the session; undefined where that is nothing, or can be of none. */
export const cookieIn = (header: string | undefined, base: string): string | undefined => {
  const start = `${nameAt(base)}=`;
  return header
    ?.split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .find((value) => cookiePattern.test(value));
};

/**
 * The Set-Cookie header for a session. It names no path: the browser takes that of the folder it
 * asked, `…/admin/api`, whatever a proxy in between calls it. It lasts as long as the browser is
 * open.
 */
export const setCookie = (cookie: string, base: string): string =>
  `${nameAt(base)}=${cookie}; ${attributes(base)}`;

/** The Set-Cookie header that has the browser forget the session. */
export const dropCookie = (base: string): string =>
  `${nameAt(base)}=; Max-Age=0; ${attributes(base)}`;

const attributes = (base: string): string =>
  `HttpOnly; SameSite=Strict${base.startsWith("https:") ? "; Secure" : ""}`;
