import { cookiePattern } from "../../administration/sessions.ts";

/**
 * The name of the cookie. It contains the port, since browsers share cookies between the ports of a
 * host and several servers may run there.
 */
const nameAt = (base: string): string => {
  // The client chooses the host, and not every accepted one makes a valid URL.
  const port = URL.canParse(base) ? new URL(base).port : "";
  return port === "" ? "vitrine-session" : `vitrine-session-${port}`;
};

/** The session named by a Cookie header; undefined where there is none or its form is invalid. */
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
 * The Set-Cookie header for a session. It has no Path: the browser uses the folder of the request,
 * `…/admin/api`, under whatever prefix a proxy adds. It lasts until the browser closes.
 */
export const setCookie = (cookie: string, base: string): string =>
  `${nameAt(base)}=${cookie}; ${attributes(base)}`;

/** The Set-Cookie header that deletes the session cookie. */
export const dropCookie = (base: string): string =>
  `${nameAt(base)}=; Max-Age=0; ${attributes(base)}`;

const attributes = (base: string): string =>
  `HttpOnly; SameSite=Strict${base.startsWith("https:") ? "; Secure" : ""}`;
