import type { CurrentPolicy } from "../../access/policy.ts";
import type { Auth } from "../../auth/auth.ts";
import { authContext, texts } from "../../auth/documents.ts";
import { hasAspect } from "../../auth/protection.ts";
import { type AuthService, isOrigin } from "../../auth/services.ts";
import { sessionCookie } from "../permission/cookies.ts";
import { ruleRequestOf } from "../permission/permission.ts";
import type { Exchange } from "../request/exchange.ts";
import { messagePage, type TokenFault } from "./token-page.ts";

/** A token, or the reason why there is none. */
type Granted =
  | { readonly token: string; readonly seconds: number }
  | { readonly fault: TokenFault };

/**
 * Returns the handler of requests for access tokens of a service: Auth 2.0 §6, or Auth 1.0 §3 where
 * the client does not name version 2.
 */
export const answerToken = (
  exchange: Exchange,
  service: AuthService,
  { auth, policy }: { readonly auth: Auth; readonly policy: CurrentPolicy | undefined },
): void => {
  const { reply, target } = exchange;
  const query = new URLSearchParams(target.query ?? "");
  const [messageId, origin] = [query.get("messageId"), query.get("origin")];
  const granted = grant(exchange, service, { auth, policy, messageId, origin });
  reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
  if (messageId === null && origin === null) {
    answerJson(exchange, granted);
    return;
  }
  // Browsers throw on a postMessage to an invalid origin.
  const isPostable = origin !== null && isOrigin(origin);
  const message = {
    ...messageOf(granted, service, auth),
    messageId: messageId ?? "",
  };
  if (!isPostable) {
    reply
      .code(400)
      .header("content-security-policy", "default-src 'none'")
      .type("text/plain; charset=utf-8")
      .send("origin: expected the origin of the viewer, such as https://viewer.example.org\n");
    return;
  }
  const { html, headers } = messagePage(message, origin);
  reply.headers(headers).type("text/html; charset=utf-8").send(html);
};

const grant = (
  exchange: Exchange,
  service: AuthService,
  {
    auth,
    policy,
    messageId,
    origin,
  }: {
    readonly auth: Auth;
    readonly policy: CurrentPolicy | undefined;
    readonly messageId: string | null;
    readonly origin: string | null;
  },
): Granted => {
  if ((messageId === null) !== (origin === null) || messageId === "")
    return { fault: "invalidRequest" };
  if (origin !== null && !isAllowed(origin, auth)) return { fault: "invalidOrigin" };
  const { sessions, tokenSeconds } = auth;
  if (service.profile === "external") return grantExternal(exchange, service, auth, policy);
  const found = sessionCookie(exchange, auth, service.name);
  if (found === undefined) return { fault: "missingAspect" };
  if (found === "expired") return { fault: "expiredAspect" };
  if (found === "invalid") return { fault: "invalidAspect" };
  return sessions.token(found, tokenSeconds);
};

/**
 * Any client that meets a rule's condition gets a token; the condition is checked again with each
 * request.
 */
const grantExternal = (
  exchange: Exchange,
  service: AuthService,
  { sessions, tokenSeconds }: Auth,
  current: CurrentPolicy | undefined,
): Granted => {
  const policy = current?.();
  if (policy === undefined || !hasAspect(policy, service, ruleRequestOf(exchange, "")))
    return { fault: "missingAspect" };
  const session = sessions.find(
    sessions.begin(service.name, { name: "", groups: [] }, tokenSeconds),
  );
  return typeof session === "object"
    ? sessions.token(session, tokenSeconds)
    : { fault: "unavailable" };
};

/** Whether viewers of an origin may get tokens. */
export const isAllowed = (origin: string, { origins }: Pick<Auth, "origins">): boolean =>
  isOrigin(origin) && (origins.length === 0 || origins.includes(origin));

/**
 * The keys of both versions, so that viewers of either find theirs (Auth 2.0 §6.3 and §6.4, Auth
 * 1.0 §3.2).
 */
const messageOf = (
  granted: Granted,
  { errorHeading, errorNote }: AuthService,
  auth: Auth,
): Readonly<Record<string, unknown>> =>
  "token" in granted
    ? {
        "@context": authContext,
        type: "AuthAccessToken2",
        accessToken: granted.token,
        expiresIn: granted.seconds,
      }
    : {
        "@context": authContext,
        type: "AuthAccessTokenError2",
        profile: granted.fault,
        ...texts({ heading: errorHeading, note: errorNote }, auth),
        error: errors1[granted.fault].error,
      };

/** Auth 1.0 §3.3. */
const errors1: Readonly<
  Record<TokenFault, { readonly error: string; readonly status: 400 | 401 | 503 }>
> = {
  invalidRequest: { error: "invalidRequest", status: 400 },
  invalidOrigin: { error: "invalidOrigin", status: 401 },
  missingAspect: { error: "missingCredentials", status: 401 },
  invalidAspect: { error: "invalidCredentials", status: 401 },
  expiredAspect: { error: "invalidCredentials", status: 401 },
  unavailable: { error: "unavailable", status: 503 },
};

/** For clients that are not browsers (Auth 1.0 §3.4). */
const answerJson = ({ reply }: Exchange, granted: Granted): void => {
  reply.type("application/json; charset=utf-8");
  if ("token" in granted)
    reply.send(JSON.stringify({ accessToken: granted.token, expiresIn: granted.seconds }));
  else {
    const { error, status } = errors1[granted.fault];
    reply.code(status).send(JSON.stringify({ error }));
  }
};
