import type { CurrentPolicy } from "../../access/policy.ts";
import type { Auth } from "../../auth/auth.ts";
import type { Identity } from "../../auth/login/identity.ts";
import type { LoginRequest } from "../../auth/login/provider.ts";
import { hasAspect } from "../../auth/protection.ts";
import type { AuthService } from "../../auth/services.ts";
import { cookiesOf, sessionAt, setSession } from "../permission/cookies.ts";
import { ruleRequestOf } from "../permission/permission.ts";
import type { Exchange } from "../request/exchange.ts";
import { Refused } from "../request/refusal.ts";
import { isAllowed } from "./token.ts";
import { closingPage } from "./token-page.ts";

/** The dependencies of logins. */
export interface AccessParts {
  readonly auth: Auth;
  readonly policy: CurrentPolicy | undefined;
  /** The body of a form. */
  readonly form?: URLSearchParams;
}

const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Logs a user in at a service (Auth 2.0 §5, Auth 1.0 §2), in a window that the viewer opened. */
export const answerAccess = async (
  exchange: Exchange,
  service: AuthService,
  parts: AccessParts,
): Promise<void> => {
  const { reply, request, target } = exchange;
  const { auth, policy: current } = parts;
  reply.header("cache-control", "no-store").header("referrer-policy", "same-origin");
  const origin = new URLSearchParams(target.query ?? "").get("origin");
  if (origin !== null && !isAllowed(origin, auth))
    throw new Refused(400, undefined, "origin: this viewer may not log users in here.");
  if (request.method === "POST") refuseHeifJxl(exchange);
  if (service.profile === "kiosk") {
    const policy = current?.();
    if (policy === undefined || !hasAspect(policy, service, ruleRequestOf(exchange, "")))
      throw new Refused(403, undefined, service.errorNote ?? "You may not log in from here.");
    begin(exchange, service, auth, { name: "", groups: [] });
    return;
  }
  const provider = auth.provider(service);
  if (provider === undefined)
    throw new Refused(404, undefined, "There is no login at this service.");
  const step = await exchange.deadline.race(
    provider.step(loginRequest(exchange, parts), actionOf(exchange, service)),
  );
  if (step.kind !== "page" && step.cookies) addCookies(exchange, step.cookies);
  switch (step.kind) {
    case "page":
      reply
        .code(step.status)
        .header("content-security-policy", pagePolicy)
        .type("text/html; charset=utf-8")
        .send(step.html);
      return;
    case "redirect":
      reply.code(302).header("location", step.location).type("text/plain").send("");
      return;
    case "done":
      begin(exchange, service, auth, step.identity);
  }
};

/** Ends the session at a service (Auth 2.0 §8). */
export const answerLogout = (exchange: Exchange, service: AuthService, auth: Auth): void => {
  const session = sessionAt(exchange, auth, service.name);
  if (session) auth.sessions.end(session);
  addCookies(exchange, [setSession(exchange, service, "", 0)]);
  sendClosing(exchange, "You are logged out. You can close this window.");
};

const begin = (
  exchange: Exchange,
  service: AuthService,
  { sessions }: Auth,
  identity: Identity,
): void => {
  const seconds = service.sessionSeconds;
  const cookie = sessions.begin(service.name, identity, seconds);
  addCookies(exchange, [setSession(exchange, service, cookie, seconds)]);
  sendClosing(exchange, "You are logged in. You can close this window.");
};

const sendClosing = ({ reply }: Exchange, sentence: string): void => {
  const { html, headers } = closingPage(`<p>${sentence}</p>\n`);
  reply
    .header("cache-control", "no-store")
    .headers(headers)
    .type("text/html; charset=utf-8")
    .send(html);
};

const addCookies = ({ reply }: Exchange, cookies: readonly string[]): void => {
  for (const cookie of cookies) reply.header("set-cookie", cookie);
};

/** Other sites can make a browser send forms here; they must not be able to log a user in. */
const refuseHeifJxl = ({ request, address }: Exchange): void => {
  const { origin, "sec-fetch-site": site } = request.headers;
  const isOwn = origin === new URL(address.base).origin;
  if (isOwn && (site === undefined || site === "same-origin")) return;
  throw new Refused(403, undefined, "The form was not sent from this page.");
};

const actionOf = ({ address, target }: Exchange, { name }: AuthService): string =>
  `${address.base}/auth/access/${name}${target.query === undefined ? "" : `?${target.query}`}`;

const loginRequest = (exchange: Exchange, { form }: AccessParts): LoginRequest => {
  const { request, address, target, deadline } = exchange;
  return {
    method: request.method === "POST" ? "POST" : "GET",
    path: target.path,
    query: new URLSearchParams(target.query ?? ""),
    ...(form ? { form } : {}),
    cookies: cookiesOf(request.headers.cookie),
    header: ruleRequestOf(exchange, "").header,
    client: address.client,
    secure: address.base.startsWith("https:"),
    signal: deadline.signal,
  };
};
