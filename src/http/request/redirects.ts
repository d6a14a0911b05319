import type { Exchange } from "./exchange.ts";
import type { Target } from "./target.ts";

/** Redirects to a path of this server with the same query. */
export const redirect = (exchange: Exchange, status: 301 | 303, path: string): void => {
  const { address, reply, target } = exchange;
  const query = target.query === undefined ? "" : `?${target.query}`;
  const location = `${address.base}${path}${query}`;
  reply
    .code(status)
    .header("location", location)
    .type("text/plain; charset=utf-8")
    .send(`Redirect: ${location}\n`);
};

/**
 * The path without trailing slashes; undefined when it has none, is the root, or is the panel's.
 */
export const withoutTrailingSlash = (target: Target): string | undefined => {
  if (withSlash.has(target.path) || !target.path.endsWith("/")) return undefined;
  const segments = [...target.segments];
  while (segments.at(-1) === "") segments.pop();
  return segments.length === 0 ? undefined : `/${segments.join("/")}`;
};

/** The base of the control panel's relative links ends with a slash. */
const withSlash: ReadonlySet<string> = new Set(["/", "/admin/"]);
