import type { RuleDecision } from "../../access/decide.ts";
import type { Policy } from "../../access/policy.ts";
import type { Auth } from "../../auth/auth.ts";
import { authContext, cookieService, probeService } from "../../auth/documents.ts";
import { isLess, protectionOf, withSessions } from "../../auth/protection.ts";
import type { AuthService } from "../../auth/services.ts";
import type { Session } from "../../auth/sessions.ts";
import type { Version } from "../../iiif/version.ts";
import { sessionAt, sessionOfToken } from "../permission/cookies.ts";
import type { IiifDeps } from "../permission/deps.ts";
import {
  type AccessQuery,
  accessQueryOf,
  bearerToken,
  type Deciders,
  type ImageReference,
  loginChallenge,
  type Permission,
  permissionOf,
  permitted,
  ruleRequestOf,
  verdictOf,
} from "../permission/permission.ts";
import type { Exchange } from "../request/exchange.ts";
import type { NamedImage } from "../request/query.ts";
import { substituteUri } from "./substitute.ts";

/** How the request for an image's info.json is answered. */
export interface InformationAccess {
  readonly permission: Permission;
  /** Auth services to describe; empty where the image needs none. */
  readonly services: readonly AuthService[];
  /** The version of IIIF Auth that describes them. */
  readonly flow: 1 | 2;
  /** Auth 1.0 §5: the refusal, by a redirect to another image or the status 401. */
  readonly refused?: RuleDecision;
}

/**
 * Decides on a request for info.json. With Auth 2 every client gets the document, since only images
 * are protected; with Auth 1 (Image API 2) the status says whether the client may see the image.
 * Throws `Refused`.
 */
export const informationAccess = (
  deciders: Deciders,
  exchange: Exchange,
  wanted: ImageReference,
  { number }: Version,
): InformationAccess => {
  const policy = deciders.policy?.();
  const auth = deciders.auth?.();
  if (policy && auth && number >= 2) {
    const asked = accessQueryOf(policy, exchange, wanted, auth);
    const { services, verdict } = protectionOf(policy, auth, asked.asker);
    const described = { services, flow: number === 2 ? auth.iiif2Flow : 2 } as const;
    if (services.length > 0 && described.flow === 2)
      return { ...described, permission: forAll(verdict, asked) };
    if (services.length > 0) return { ...described, ...bySession(policy, auth, exchange, asked) };
  }
  return { permission: permitted(deciders, exchange, wanted), services: [], flow: 2 };
};

/** The services describe access to the whole image; which ones apply may depend on the client. */
const forAll = (verdict: RuleDecision, asked: AccessQuery): Permission => {
  const dependsOn = new Set(verdict.dependsOn);
  dependsOn.delete("auth");
  const { confinement: _, ...permission } = permissionOf({ ...verdict, dependsOn }, asked);
  return permission;
};

/** Identified by an access token, or by cookies where the client sends them. */
const bySession = (
  policy: Policy,
  auth: Auth,
  exchange: Exchange,
  asked: AccessQuery,
): Pick<InformationAccess, "permission" | "refused"> => {
  const token = bearerToken(exchange.request.headers.authorization);
  const sessionOf = (service: string): Session | undefined =>
    sessionOfToken(auth, token, service) ?? sessionAt(exchange, auth, service);
  const asker = { ...asked.asker, auth: withSessions(auth, sessionOf) };
  const verdict = verdictOf(policy, { asker });
  const { confinement, ...permission } = permissionOf(verdict, asked);
  const isDenied = verdict?.outcome.action === "deny";
  return {
    permission: {
      ...permission,
      ...(confinement && !isDenied ? { confinement } : {}),
      personal: true,
      byToken: true,
      byCookie: true,
    },
    ...(verdict && isLess(verdict.outcome) ? { refused: verdict } : {}),
  };
};

/** Adds the services to the keys of an info.json, before those that the delegate adds. */
export const describeServices = (
  { services, flow }: Pick<InformationAccess, "services" | "flow">,
  extra: Extra,
  { deps, version, uri }: Described,
): Extra => {
  const auth = deps.auth?.();
  if (auth === undefined || services.length === 0) return extra;
  const start = uri.lastIndexOf(`/iiif/${version.number}/`);
  const places = { base: uri.slice(0, start), language: auth.language };
  const segment = uri.slice(uri.lastIndexOf("/") + 1);
  const others = [extra["service"] ?? []].flat();
  if (flow === 1)
    return {
      ...extra,
      service: single([...services.map((one) => cookieService(one, places)), ...others]),
    };
  const probe = probeService(services, { version: version.number, segment }, places);
  if (version.number === 2)
    return { ...extra, service: single([{ "@context": authContext, ...probe }, ...others]) };
  // Auth 2.0 §2: the Image API's own context stays the last.
  const contexts = [extra["@context"] ?? version.context].flat();
  return { ...extra, "@context": [authContext, ...contexts], service: [probe, ...others] };
};

type Extra = Readonly<Record<string, unknown>>;

interface Described {
  readonly deps: Pick<Deciders, "auth">;
  readonly version: Version;
  /** The URI of the image, no trailing slash. */
  readonly uri: string;
}

/** Viewers of Image API 2 may not expect a list. */
const single = (all: readonly unknown[]): unknown => (all.length === 1 ? all[0] : all);

/**
 * How a client is refused by Auth 1.0 §5: redirected to another image, or 401 with the whole
 * document; undefined where it is not.
 */
export const refusedInformation = async (
  { refused }: InformationAccess,
  exchange: Exchange,
  named: Pick<NamedImage, "id" | "session">,
  deps: IiifDeps,
): Promise<
  { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined
> => {
  const policy = deps.policy?.();
  if (refused === undefined || policy === undefined) return undefined;
  const asker = ruleRequestOf(exchange, named.id.identifier);
  const parts = { exchange, version: deps.version.number, policy, asked: { asker }, deps };
  const uri = await substituteUri(refused.outcome, named, parts);
  if (uri !== undefined) return { status: 302, headers: { location: `${uri}/info.json` } };
  if (refused.outcome.action === "allow") return undefined;
  return { status: 401, headers: { "www-authenticate": loginChallenge } };
};
