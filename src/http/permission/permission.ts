import { decide, type RuleDecision, type RuleRequest } from "../../access/decide.ts";
import type { CurrentPolicy, Policy } from "../../access/policy.ts";
import { type Signatures, type Validity, verify } from "../../access/signatures.ts";
import { type MarkedSegment, signatureInQuery } from "../../access/signed-urls.ts";
import type { Auth, CurrentAuth } from "../../auth/auth.ts";
import { protectionOf, withSessions } from "../../auth/protection.ts";
import type { Watermark } from "../../core/overlay-description.ts";
import type { Confinement } from "../../core/request.ts";
import type { Exchange } from "../request/exchange.ts";
import { Refused } from "../request/refusal.ts";
import { sessionAt } from "./cookies.ts";

/** What access rules and signatures allow a request. */
export interface Permission {
  readonly confinement?: Confinement;
  /** The overlay drawn over the image. */
  readonly watermark?: Watermark;
  /** Whether another client, or the same one later, may get another response at the same URL. */
  readonly personal: boolean;
  /** Whether the response depends on the Authorization header. */
  readonly byToken: boolean;
  /** Whether the response depends on cookies. */
  readonly byCookie?: boolean;
  /** Seconds after which the URL expires; absent where it does not. */
  readonly seconds?: number;
}

/** The permission where no rule is configured. */
const unlimited: Permission = { personal: false, byToken: false };

/** The dependencies of access decisions. */
export interface Deciders {
  readonly policy?: CurrentPolicy | undefined;
  readonly auth?: CurrentAuth | undefined;
}

/** The requested image. */
export interface ImageReference {
  readonly identifier: string;
  readonly marked: MarkedSegment;
}

export type PermissionRequest = Pick<Exchange, "request" | "address" | "target" | "peerTrusted">;

/** Decides on a request for an image by the current policy. Throws `Refused`. */
export const permitted = (
  { policy: current, auth }: Deciders,
  exchange: PermissionRequest,
  wanted: ImageReference,
): Permission => {
  const policy = current?.();
  if (policy === undefined) return unlimited;
  const asked = accessQueryOf(policy, exchange, wanted, auth?.());
  const verdict = verdictOf(policy, asked);
  if (verdict?.outcome.action === "deny") throw denied(verdict, exchange, asked, policy);
  return permissionOf(verdict, asked);
};

/** A request with everything that rules evaluate. */
export interface AccessQuery {
  readonly asker: RuleRequest;
  readonly found: RequestSignature | undefined;
  /** Whether the image requires a signature regardless of rules. */
  readonly isRequired: boolean;
  readonly auth: Auth | undefined;
}

/**
 * What rules evaluate of a request. Throws `Refused` where a required signature is missing or
 * invalid.
 */
export const accessQueryOf = (
  policy: Policy,
  exchange: PermissionRequest,
  { identifier, marked }: ImageReference,
  auth: Auth | undefined,
): AccessQuery => {
  const { signatures } = policy;
  const found = signatures && signatureOf(signatures, exchange, { identifier, marked });
  const isRequired = policy.isSignatureRequired(identifier);
  if (isRequired && found?.validity !== "valid") throw refusedFor(found);
  const signed = (): boolean => found?.validity === "valid";
  const loggedIn = auth
    ? withSessions(auth, (service) => sessionAt(exchange, auth, service))
    : () => false;
  const asker = { ...ruleRequestOf(exchange, identifier), signed, auth: loggedIn };
  return { asker, found, isRequired, auth };
};

/** The rules' decision; undefined without rules. */
export const verdictOf = (
  policy: Policy,
  { asker }: Pick<AccessQuery, "asker">,
): RuleDecision | undefined =>
  policy.rules.length === 0
    ? undefined
    : decide(policy.rulesFor(asker.identifier), asker, policy.otherwise);

/** The permission of a verdict that does not deny. */
export const permissionOf = (
  verdict: RuleDecision | undefined,
  { found, isRequired }: Pick<AccessQuery, "found" | "isRequired">,
): Permission => {
  const outcome = verdict?.outcome;
  const dependsOn = verdict?.dependsOn;
  const bySignature = isRequired || dependsOn?.has("signed") === true;
  const { confinement, watermark } = outcome?.action === "allow" ? outcome : {};
  return {
    ...(confinement ? { confinement } : {}),
    ...(watermark ? { watermark } : {}),
    personal: bySignature || (dependsOn?.size ?? 0) > 0,
    byToken: dependsOn?.has("token") === true,
    byCookie: dependsOn?.has("auth") === true,
    ...(bySignature && found ? { seconds: Math.max(0, found.expires - nowInSeconds()) } : {}),
  };
};

/** A request's signature. */
interface RequestSignature {
  readonly validity: Validity;
  readonly expires: number;
}

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

const signatureOf = (
  signatures: Signatures,
  { target }: Pick<Exchange, "target">,
  { identifier, marked }: ImageReference,
): RequestSignature | undefined => {
  const signature = marked.signature
    ? { ...marked.signature, subject: { kind: "image", identifier } as const }
    : signatureInQuery(target.path, target.query);
  return (
    signature && {
      validity: verify(signatures, signature, nowInSeconds()),
      expires: signature.expires,
    }
  );
};

/** A client without signature and session. */
export const ruleRequestOf = (
  { request, address, peerTrusted }: Omit<PermissionRequest, "target">,
  identifier: string,
): RuleRequest => ({
  identifier,
  address: address.client,
  token: bearerToken(request.headers.authorization),
  header: (name) => {
    const value = peerTrusted ? request.headers[name] : undefined;
    return Array.isArray(value) ? value.join(",") : value;
  },
  signed: () => false,
  auth: () => false,
});

/** The token of an Authorization header (RFC 6750 §2.1); undefined for anything else. */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header ?? "")?.[1];

const refusedFor = (found: RequestSignature | undefined): Refused =>
  new Refused(403, undefined, messageFor(found));

const messageFor = (found: RequestSignature | undefined): string => {
  if (found === undefined) return "The URL of this image must be signed.";
  return found.validity === "expired"
    ? `The signature of this URL expired at ${timeOf(found.expires)}.`
    : "The signature of this URL is not valid for it.";
};

/** In UTC; empty for times that no calendar has. */
const timeOf = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().replace(".000", "");
};

const denied = (
  { outcome, dependsOn }: RuleDecision,
  { request }: Pick<Exchange, "request">,
  { asker, found, auth }: AccessQuery,
  policy: Policy,
): Refused => {
  const { identifier } = asker;
  const status = outcome.action === "deny" ? outcome.status : 403;
  if (auth && status !== 404 && protectionOf(policy, auth, asker).services.length > 0)
    return new Refused(401, loginChallenge);
  if (status === 401) return new Refused(status, challengeFor(request.headers.authorization));
  // The same message as for a missing image.
  if (status === 404) return new Refused(status, undefined, `There is no image '${identifier}'.`);
  const isOfUse = found !== undefined && found.validity !== "valid" && dependsOn.has("signed");
  return isOfUse ? refusedFor(found) : new Refused(status);
};

/** A scheme without a browser dialog: viewers log in by the services in info.json. */
export const loginChallenge = 'IIIF-Auth realm="Vitrine"';

/** RFC 6750 §3. */
const challengeFor = (authorization: string | undefined): string =>
  bearerToken(authorization) === undefined
    ? 'Bearer realm="Vitrine"'
    : 'Bearer realm="Vitrine", error="invalid_token"';
