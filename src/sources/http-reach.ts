import type { HttpClient } from "../clients/http.ts";
import { loggable } from "../clients/loggable-error.ts";
import { fail } from "../core/errors.ts";

/** A URL to try. */
export interface HttpPlace {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For the URL's origin only. */
  readonly ownHeaders: Readonly<Record<string, string>>;
}

const notLetIn: ReadonlySet<number> = new Set([401, 407]);

/**
 * Requests the common prefix of the URLs of all images. A 404, or a refusal to list it, still shows
 * that the server responds. Throws `upstream` where it rejects the credentials, fails or cannot be
 * reached.
 */
export const reachHttp = async (
  client: HttpClient,
  { url, headers, ownHeaders }: HttpPlace,
  signal: AbortSignal,
): Promise<"there"> => {
  const response = await client
    .get(url, { headers: { ...headers, range: "bytes=0-0" }, ownHeaders, signal })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      return fail("upstream", "The web server of the images cannot be reached.", loggable(error));
    });
  response.discard();
  const { status } = response;
  if (notLetIn.has(status) || status >= 500)
    return fail(
      "upstream",
      "The web server of the images does not answer properly.",
      new Error(`${url.origin}${url.pathname} answered ${status}.`),
    );
  return "there";
};
