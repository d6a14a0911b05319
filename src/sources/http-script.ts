import type { RequestContext } from "../core/context.ts";
import { fail } from "../core/errors.ts";
import { type HttpResource, httpResource } from "../delegate/lookups.ts";
import { namedAddress } from "./http-address.ts";
import { basic, takeLogin } from "./http-login.ts";
import { lookupSession, noImage } from "./script.ts";

/** The location of an image as a delegate returns it. */
export interface NamedPlace {
  readonly url: URL;
  /** Headers for the URL's origin only, in lower case. */
  readonly own: Readonly<Record<string, string>>;
}

/**
 * Headers that belong to the connection, or by which the server requests ranges or conditions. A
 * delegate may set any others.
 */
const serversOwn: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The URL that the delegate names for an identifier, with credentials and headers. Throws `missing`
 * for null and for URLs with a part of one or two dots, `internal` for invalid results.
 */
export const placeByScript = async (
  identifier: string,
  context: RequestContext,
): Promise<NamedPlace> => {
  const session = lookupSession(identifier, context);
  const found = await session.call("httpsource_resource_info", httpResource);
  const url = found === null ? undefined : namedAddress(found.uri);
  return found === null || url === undefined
    ? noImage(identifier)
    : { own: { ...loginOf(found, url), ...headersOf(found) }, url };
};

/** The credentials beside the URL, or else those in it, which are removed from it. */
const loginOf = (
  { username, secret }: HttpResource,
  url: URL,
): Readonly<Record<string, string>> => {
  const inAddress = takeLogin(url);
  const authorization =
    username !== undefined && secret !== undefined ? basic(username, secret) : inAddress;
  return authorization === undefined ? {} : { authorization };
};

const headersOf = ({ headers }: HttpResource): Readonly<Record<string, string>> => {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  for (const [name = ""] of named)
    if (serversOwn.has(name))
      fail(
        "internal",
        `The delegate's method httpsource_resource_info should leave the header '${name}' to the server, but names it.`,
      );
  // By name, so that the same headers are the same credentials.
  return Object.fromEntries(named.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)));
};
