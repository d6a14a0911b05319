import { type Asker, decide, type Verdict } from "../access/decide.ts";
import type { CurrentPolicy, Policy } from "../access/policy.ts";
import { type Signatures, type Validity, verify } from "../access/signatures.ts";
import { type MarkedSegment, signatureInQuery } from "../access/signed-urls.ts";
import type { Confinement } from "../core/request.ts";
import type { Exchange } from "./exchange.ts";
import { Refused } from "./refused.ts";

/** What a request is allowed, by access rules and signatures. */
export interface Permission {
  readonly confinement?: Confinement;
  /** Whether another client, or the same one later, may be answered otherwise at the same URL. */
  readonly personal: boolean;
  /** Whether the answer depends on the Authorization header. */
  readonly byToken: boolean;
  /** Seconds after which the URL is no longer valid; absent where it stays so. */
  readonly seconds?: number;
}

/** What is allowed where nothing is configured. */
const unlimited: Permission = { personal: false, byToken: false };

/** The image that a request is about. */
interface Wanted {
  readonly identifier: string;
  readonly marked: MarkedSegment;
}

type Asking = Pick<Exchange, "request" | "address" | "target" | "peerTrusted">;

/** Decides on a request for an image by the policy there is now. Throws `Refused`. */
export const permitted = (
  current: CurrentPolicy | undefined,
  exchange: Asking,
  wanted: Wanted,
): Permission => {
  const policy = current?.();
  return policy ? permit(policy, exchange, wanted) : unlimited;
};

const permit = (policy: Policy, exchange: Asking, { identifier, marked }: Wanted): Permission => {
  const { rules, signatures } = policy;
  const found = signatures && signatureOf(signatures, exchange, { identifier, marked });
  const isRequired = policy.isSignatureRequired(identifier);
  if (isRequired && found?.validity !== "valid") throw refusedFor(found);
  const verdict =
    rules.length === 0
      ? undefined
      : decide(policy.rulesFor(identifier), askerOf(exchange, identifier, found), policy.otherwise);
  if (verdict?.outcome.action === "deny") throw denied(verdict, exchange, found, identifier);
  const bySignature = isRequired || verdict?.dependsOn.has("signed") === true;
  const confinement = verdict?.outcome.confinement;
  return {
    ...(confinement ? { confinement } : {}),
    personal: bySignature || (verdict?.dependsOn.size ?? 0) > 0,
    byToken: verdict?.dependsOn.has("token") === true,
    ...(bySignature && found ? { seconds: Math.max(0, found.expires - nowInSeconds()) } : {}),
  };
};

/** A signature that came with a request. */
interface Found {
  readonly validity: Validity;
  readonly expires: number;
}

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

const signatureOf = (
  signatures: Signatures,
  { target }: Pick<Exchange, "target">,
  { identifier, marked }: Wanted,
): Found | undefined => {
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

const askerOf = (
  { request, address, peerTrusted }: Asking,
  identifier: string,
  found: Found | undefined,
): Asker => ({
  identifier,
  address: address.client,
  token: bearerToken(request.headers.authorization),
  header: (name) => {
    const value = peerTrusted ? request.headers[name] : undefined;
    return Array.isArray(value) ? value.join(",") : value;
  },
  signed: () => found?.validity === "valid",
});

/** The token of an Authorization header (RFC 6750 §2.1); undefined for anything else. */
const bearerToken = (header: string | undefined): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header ?? "")?.[1];

const refusedFor = (found: Found | undefined): Refused =>
  new Refused(403, undefined, messageFor(found));

const messageFor = (found: Found | undefined): string => {
  if (found === undefined) return "The URL of this image has to be signed.";
  return found.validity === "expired"
    ? `The signature of this URL expired at ${timeOf(found.expires)}.`
    : "The signature of this URL is not valid for it.";
};

/** In UTC; blank for times that no calendar has. */
const timeOf = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().replace(".000", "");
};

const denied = (
  { outcome, dependsOn }: Verdict,
  { request }: Pick<Exchange, "request">,
  found: Found | undefined,
  identifier: string,
): Refused => {
  const status = outcome.action === "deny" ? outcome.status : 403;
  if (status === 401) return new Refused(status, challengeFor(request.headers.authorization));
  // In the words of an image that is not there.
  if (status === 404) return new Refused(status, undefined, `There is no image '${identifier}'.`);
  const isOfUse = found !== undefined && found.validity !== "valid" && dependsOn.has("signed");
  return isOfUse ? refusedFor(found) : new Refused(status);
};

/** RFC 6750 §3. */
const challengeFor = (authorization: string | undefined): string =>
  bearerToken(authorization) === undefined
    ? 'Bearer realm="Vitrine"'
    : 'Bearer realm="Vitrine", error="invalid_token"';
