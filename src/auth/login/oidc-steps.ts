import { createHash, timingSafeEqual } from "node:crypto";
import * as client from "openid-client";
import { untilAborted } from "../../core/abort.ts";
import { identityIn, isIncomplete } from "./oidc-claims.ts";
import { OpenIdIssuer } from "./oidc-issuer.ts";
import type { OidcLogin } from "./oidc-login.ts";
import { LoginProblem, problemOf } from "./oidc-problems.ts";
import { BegunLogins, type PendingLogin } from "./oidc-state.ts";
import { noticePage } from "./page.ts";
import type { LoginProvider, LoginRequest, LoginStep } from "./provider.ts";

/** Time limit in milliseconds of all requests to the issuer in a step. */
const deadlineMs = 15_000;

/** The steps of `createOidcProvider`. */
export const createSteps = (given: OidcLogin): LoginProvider => {
  const parts: OidcParts = {
    ...given,
    source: new OpenIdIssuer(given),
    begun: new BegunLogins(given.cookieKey, given.now ?? Date.now),
  };
  return {
    async step(request, action) {
      const place = placeOf(action);
      const isBack = request.path.endsWith("/callback") && !place.path.endsWith(request.path);
      const login = isBack ? await parts.begun.open(request, place.redirectUri) : undefined;
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(deadlineMs)]);
      try {
        return isBack
          ? await end(request, { login, place, signal, parts })
          : await begin(request, { action, place, signal, parts });
      } catch (error) {
        request.signal.throwIfAborted();
        const { status, title, message, level } = problemOf(error);
        parts.log[level](`A login with OpenID Connect failed: ${title}`, {
          issuer: given.issuer,
          address: request.client,
          reason: reasonOf(error),
        });
        const again = login?.action ?? place.access;
        return noticePage({ texts: parts.texts, status, title, message, again });
      }
    },
  };
};

interface OidcParts extends OidcLogin {
  readonly source: OpenIdIssuer;
  readonly begun: BegunLogins;
}

interface ServiceUrls {
  /** The URL of the access service without its query, and its path. */
  readonly access: string;
  readonly path: string;
  readonly redirectUri: string;
}

const placeOf = (action: string): ServiceUrls => {
  const { origin, pathname } = new URL(action);
  const access = `${origin}${pathname}`;
  return { access, path: pathname, redirectUri: `${access}/callback` };
};

interface Step {
  readonly place: ServiceUrls;
  readonly signal: AbortSignal;
  readonly parts: OidcParts;
}

const begin = async (
  { secure }: LoginRequest,
  { action, place: { redirectUri }, signal, parts }: Step & { readonly action: string },
): Promise<LoginStep> => {
  const configuration = await parts.source.configuration(signal);
  const login: PendingLogin = {
    action,
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const location = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: scopeOf(parts.scopes),
    state: login.state,
    nonce: login.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(login.verifier),
    code_challenge_method: "S256",
  });
  const cookie = await parts.begun.seal(login, redirectUri, secure);
  return { kind: "redirect", location: location.href, cookies: [cookie] };
};

const scopeOf = (scopes: string): string => {
  const named = scopes.split(/[\s,]+/).filter((scope) => scope !== "" && scope !== "openid");
  return ["openid", ...named].join(" ");
};

const end = async (
  { query, secure }: LoginRequest,
  {
    login,
    place: { redirectUri },
    signal,
    parts,
  }: Step & { readonly login: PendingLogin | undefined },
): Promise<LoginStep> => {
  if (login === undefined)
    throw new LoginProblem("expired", "there is no valid cookie of a pending login");
  if (!isSame(query.get("state") ?? "", login.state))
    throw new LoginProblem("expired", "the state does not match the pending login");
  const configuration = await parts.source.configuration(signal);
  const current = new URL(`${redirectUri}?${query}`);
  const tokens = await untilAborted(signal, () =>
    client.authorizationCodeGrant(configuration, current, {
      pkceCodeVerifier: login.verifier,
      expectedState: login.state,
      expectedNonce: login.nonce,
      idTokenExpected: true,
    }),
  );
  const claims = tokens.claims();
  if (claims === undefined) throw new LoginProblem("failed", "the issuer sent no ID token");
  const asked =
    isIncomplete(claims, parts) &&
    configuration.serverMetadata().userinfo_endpoint !== undefined &&
    (await untilAborted(signal, () =>
      client.fetchUserInfo(configuration, tokens.access_token, claims.sub),
    ));
  const identity = identityIn({ ...(asked || {}), ...claims }, parts);
  if (identity === undefined)
    throw new LoginProblem(
      "nameless",
      `neither the ID token nor the userinfo endpoint has the claim '${parts.nameClaim}' as a text, or its address is not verified`,
    );
  return { kind: "done", identity, cookies: [parts.begun.clear(redirectUri, secure)] };
};

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The whole chain of causes, for the log; the library puts no secrets there. */
const reasonOf = (error: unknown): string => {
  const reasons: string[] = [];
  let at: unknown = error;
  for (let depth = 0; at instanceof Error && depth < 5; depth++) {
    reasons.push(at.message);
    at = at.cause;
  }
  return reasons.join(": ");
};
