import { fail } from "../../core/errors.ts";
import type { OidcLogin } from "./oidc-login.ts";
import type { LoginProvider } from "./provider.ts";

/**
 * Identifies people by OpenID Connect: the authorization code flow with PKCE, state and nonce,
 * which an encrypted cookie stores for ten minutes. A GET of the access service redirects to the
 * issuer, and one of its `/callback` ends the login. Pages: 400 for a login that is expired, used
 * or of another browser, 403 for a person whom the issuer rejects or does not name, 502 and 503
 * where the issuer fails. Throws `malformed` for an issuer that is not an https URL, or http on
 * this machine, and for a key of the wrong length.
 */
export const createOidcProvider = (given: OidcLogin): LoginProvider => {
  checkIssuer(given.issuer);
  if (given.cookieKey.length !== 32) fail("malformed", "Login cookies need a key of 32 bytes.");
  // Its libraries are loaded on the first login.
  let steps: Promise<LoginProvider> | undefined;
  return {
    async step(request, action) {
      steps ??= import("./oidc-steps.ts").then(({ createSteps }) => createSteps(given));
      return (await steps).step(request, action);
    },
  };
};

const checkIssuer = (text: string): void => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere(url.hostname))) return;
  fail(
    "malformed",
    "Expected an https URL of an OpenID Connect issuer; http is allowed for issuers on this machine only (localhost, 127.0.0.1, [::1]).",
  );
};

const isHere = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
