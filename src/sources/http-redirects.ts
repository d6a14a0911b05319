import { LRUCache } from "lru-cache";
import type { HttpClient, HttpRequest, HttpResponse } from "../clients/http.ts";

/** Maximum number of URLs whose redirects are cached. */
const maxAddresses = 16_384;
/** Statuses of an expired URL, such as a signed one. */
const expired: ReadonlySet<number> = new Set([401, 403, 404, 410]);

interface Remembered {
  readonly url: URL;
  /** In the unit of `now`. */
  readonly until: number;
}

/**
 * A client that requests the target of a redirect directly while the redirect is valid. Where the
 * target fails, the URL itself is requested once more. Clients with other credentials are
 * redirected again.
 */
export const rememberRedirects = (
  client: HttpClient,
  now: () => number = () => performance.now(),
): HttpClient => {
  const known = new LRUCache<string, Remembered>({ max: maxAddresses });

  const startAnew = async (key: string, url: URL, request: HttpRequest): Promise<HttpResponse> => {
    const response = await client.get(url, request);
    const { redirected } = response;
    if (redirected && redirected.seconds > 0)
      known.set(key, { url: redirected.url, until: now() + redirected.seconds * 1_000 });
    return response;
  };

  return {
    async get(url, request) {
      const key = `${url.href} ${JSON.stringify(request.ownHeaders ?? {})}`;
      const before = known.get(key);
      if (before === undefined || before.until <= now()) return startAnew(key, url, request);
      const response = await client
        .get(url, { ...request, start: before.url })
        .catch((error: unknown) => {
          request.signal.throwIfAborted();
          return error;
        });
      if (isResponse(response) && !expired.has(response.status)) return response;
      known.delete(key);
      if (isResponse(response)) response.discard();
      return startAnew(key, url, request);
    },
    send: (url, request) => client.send(url, request),
    close: () => client.close(),
  };
};

const isResponse = (outcome: unknown): outcome is HttpResponse =>
  typeof outcome === "object" && outcome !== null && "discard" in outcome;
