import type { Settings } from "../../config/keys.ts";
import type { clientCacheKeys } from "./keys.ts";
import type { Reply } from "./reply.ts";

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
const cacheHeaders = (
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

/**
 * Returns `cacheHeaders` according to the current settings; headers that are the same for all
 * clients are computed once per change of settings.
 */
export const currentCacheHeaders = (
  current: () => Settings<typeof clientCacheKeys>,
): ((bypasses: boolean, audience?: Audience) => Readonly<Record<string, string>>) => {
  let seen: Settings<typeof clientCacheKeys> | undefined;
  const common = new Map<boolean, Readonly<Record<string, string>>>();
  return (bypasses, audience) => {
    const settings = current();
    if (audience?.personal || audience?.seconds !== undefined)
      return cacheHeaders(settings, bypasses, audience);
    if (settings !== seen) common.clear();
    seen = settings;
    const known = common.get(bypasses) ?? cacheHeaders(settings, bypasses);
    common.set(bypasses, known);
    return known;
  };
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

/** Sets Vary to the request headers that the response depends on, if any. */
export const addVary = (
  reply: Reply,
  accept: boolean,
  { byToken, byCookie = false }: { readonly byToken: boolean; readonly byCookie?: boolean },
): void => {
  if (!accept && !byToken && !byCookie) return;
  const names = [
    ...(accept ? ["Accept"] : []),
    ...(byToken ? ["Authorization"] : []),
    ...(byCookie ? ["Cookie"] : []),
  ];
  reply.header("vary", names.join(", "));
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
