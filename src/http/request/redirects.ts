import type { Exchange } from "./exchange.ts";
import type { Target } from "./target.ts";

/** Answers with a redirect to a path of this server; the query goes along. */
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
 * The path without the slashes at its end; undefined when it has none, or nothing else, or is that
 * of the panel.
 */
export const withoutTrailingSlash = (target: Target): string | undefined => {
  if (withSlash.has(target.path) || !target.path.endsWith("/")) return undefined;
  const segments = [...target.segments];
  while (segments.at(-1) === "") segments.pop();
  return segments.length === 0 ? undefined : `/${segments.join("/")}`;
};

/** What the addresses in the control panel's page are relative to ends with a slash. */
const withSlash: ReadonlySet<string> = new Set(["/", "/admin/"]);
