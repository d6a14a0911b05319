import type { Settings } from "../config/keys.ts";
import type { clientCacheKeys } from "./keys.ts";

/** The Cache-Control of images, info.json and redirects, if any; `bypasses` where the request has `cache=nocache`. */
export const cacheHeaders = (
  settings: Settings<typeof clientCacheKeys>,
  bypasses: boolean,
): Readonly<Record<string, string>> => {
  const value =
    bypasses && !settings["cache.client.on_nocache"] ? undefined : cacheControl(settings);
  return value === undefined ? {} : { "cache-control": value };
};

const cacheControl = (settings: Settings<typeof clientCacheKeys>): string | undefined => {
  if (!settings["cache.client.enabled"]) return undefined;
  const maxAge = settings["cache.client.max_age"];
  const sharedMaxAge = settings["cache.client.shared_max_age"];
  const directives = [
    maxAge !== null && `max-age=${maxAge}`,
    sharedMaxAge !== null && `s-maxage=${sharedMaxAge}`,
    settings["cache.client.public"] ? "public" : settings["cache.client.private"] && "private",
    settings["cache.client.no_cache"] && "no-cache",
    settings["cache.client.no_store"] && "no-store",
    settings["cache.client.must_revalidate"] && "must-revalidate",
    settings["cache.client.proxy_revalidate"] && "proxy-revalidate",
    settings["cache.client.no_transform"] && "no-transform",
  ];
  return directives.filter((directive) => directive !== false).join(", ") || undefined;
};

/** Error answers are never kept. */
export const errorCacheControl = "no-cache, must-revalidate";

/**
 * The Link header, all links in one line: clients that read only the first line of a name would
 * miss a second one.
 */
export const linkHeader = (links: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(links)
    .filter(([, uri]) => uri !== undefined)
    .map(([relation, uri]) => `<${uri}>;rel="${relation}"`)
    .join(",");

/** A preflight's answer stays valid this long, in seconds. */
const preflightAge = 86_400;

/** What an OPTIONS request to the image endpoints is told besides `Access-Control-Allow-Origin`. */
export const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  "access-control-allow-methods": methods.join(", "),
  // The wildcard does not cover Authorization (Fetch, CORS protocol).
  "access-control-allow-headers": "Authorization, *",
  "access-control-max-age": String(preflightAge),
});
