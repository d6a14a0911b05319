import type { Settings } from "../../config/keys.ts";
import type { clientCacheKeys } from "./keys.ts";

/** How long a response may be cached, and by whom. */
interface Audience {
  /**
   * Whether other clients may get another response: then no shared cache may store it, whatever
   * settings say.
   */
  readonly personal: boolean;
  /** Maximum seconds that the response stays fresh; absent for no limit. */
  readonly seconds?: number;
}

/**
 * The Cache-Control of images, info.json and redirects, if any; `bypasses` where the request has
 * `cache=nocache`.
 */
export const cacheHeaders = (
  settings: Settings<typeof clientCacheKeys>,
  bypasses: boolean,
  audience: Audience = { personal: false },
): Readonly<Record<string, string>> => {
  const isSaid =
    settings["cache.client.enabled"] && (!bypasses || settings["cache.client.on_nocache"]);
  const value = isSaid ? cacheControl(settings, audience) : undefined;
  if (value !== undefined) return { "cache-control": value };
  return audience.personal ? { "cache-control": "private" } : {};
};

const cacheControl = (
  settings: Settings<typeof clientCacheKeys>,
  { personal, seconds = Number.POSITIVE_INFINITY }: Audience,
): string | undefined => {
  const maxAge = settings["cache.client.max_age"];
  const sharedMaxAge = personal ? null : settings["cache.client.shared_max_age"];
  const isPublic = settings["cache.client.public"] && !personal;
  const directives = [
    maxAge !== null && `max-age=${Math.min(maxAge, seconds)}`,
    sharedMaxAge !== null && `s-maxage=${sharedMaxAge}`,
    isPublic ? "public" : (personal || settings["cache.client.private"]) && "private",
    settings["cache.client.no_cache"] && "no-cache",
    settings["cache.client.no_store"] && "no-store",
    settings["cache.client.must_revalidate"] && "must-revalidate",
    settings["cache.client.proxy_revalidate"] && "proxy-revalidate",
    settings["cache.client.no_transform"] && "no-transform",
  ];
  return directives.filter((directive) => directive !== false).join(", ") || undefined;
};

/** The request headers that the response depends on. */
export const varyHeader = (
  accept: boolean,
  { byToken, byCookie = false }: { readonly byToken: boolean; readonly byCookie?: boolean },
): Readonly<Record<string, string>> => {
  const names = [
    ...(accept ? ["Accept"] : []),
    ...(byToken ? ["Authorization"] : []),
    ...(byCookie ? ["Cookie"] : []),
  ];
  return names.length === 0 ? {} : { vary: names.join(", ") };
};

/**
 * The Link header with all links in one line: clients that read only the first of several headers
 * would miss the others.
 */
export const linkHeader = ({
  profile,
  canonical,
}: {
  readonly profile: string;
  readonly canonical: string | undefined;
}): string =>
  canonical === undefined
    ? `<${profile}>;rel="profile"`
    : `<${profile}>;rel="profile",<${canonical}>;rel="canonical"`;

/** Seconds that a preflight response stays valid. */
const preflightAge = 86_400;

/**
 * The response headers to OPTIONS at the image endpoints, besides `Access-Control-Allow-Origin`.
 */
export const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  "access-control-allow-methods": methods.join(", "),
  // The wildcard does not cover Authorization (Fetch, CORS protocol).
  "access-control-allow-headers": "Authorization, *",
  "access-control-max-age": String(preflightAge),
});
