import { type MarkedSegment, takeMark } from "../../access/signed-urls.ts";
import type { Auth } from "../../auth/auth.ts";
import { authContext, texts } from "../../auth/documents.ts";
import { isLess, protectionOf, withSessions } from "../../auth/protection.ts";
import { ServerError } from "../../core/errors.ts";
import { textOfSegment } from "../../core/identifier.ts";
import { sessionOfToken } from "../permission/cookies.ts";
import { refuseUnlessSeen, sessionOf } from "../permission/gate.ts";
import { readText } from "../permission/identifier.ts";
import { accessQueryOf, bearerToken, type Deciders, verdictOf } from "../permission/permission.ts";
import type { HttpDeps } from "../request/deps.ts";
import { answerTo } from "../request/errors.ts";
import type { Exchange } from "../request/exchange.ts";
import type { NamedImage } from "../request/query.ts";
import { Refused } from "../request/refusal.ts";
import { type SegmentDeps, substituteUri } from "./substitute.ts";

/** The dependencies of probes. */
export type ProbeDeps = Pick<HttpDeps, "images"> & Deciders & SegmentDeps;

/**
 * Returns the handler of probe requests: what status the client would get for the image with the
 * session of its token (Auth 2.0 §7).
 */
export const answerProbe = async (
  exchange: Exchange,
  { version, segment }: { readonly version: number; readonly segment: string },
  deps: ProbeDeps & { readonly currentAuth: Auth },
): Promise<void> => {
  const { reply } = exchange;
  const result = await resultOf(exchange, { version, segment }, deps);
  reply
    .headers({
      "access-control-allow-origin": "*",
      "cache-control": "private, no-store",
      vary: "Authorization",
    })
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ "@context": authContext, type: "AuthProbeResult2", ...result }));
};

type Result = Readonly<Record<string, unknown>> & { readonly status: number };

const resultOf = async (
  exchange: Exchange,
  asked: { readonly version: number; readonly segment: string },
  deps: ProbeDeps & { readonly currentAuth: Auth },
): Promise<Result> => {
  try {
    const marked = deps.policy?.()?.signatures
      ? takeMark(asked.segment)
      : { mark: "", segment: asked.segment };
    const text = textOfSegment(marked.segment, deps.identifierSyntax());
    const { id, session: started } = await readText(exchange, text, deps);
    const named = { id, ...(started ? { session: started } : {}) };
    const byRules = await ruled(exchange, named, { ...deps, marked, version: asked.version });
    if (byRules !== undefined) return byRules;
    const session = started ?? (deps.delegate && sessionOf(deps.delegate, exchange, id));
    if (session) await refuseUnlessSeen(session, exchange);
    const context = exchange.context(id.identifier, session);
    await exchange.deadline.race(deps.images.know(context, "use"));
    return { status: 200 };
  } catch (error) {
    if (error instanceof Refused || error instanceof ServerError)
      return { status: answerTo(error).status };
    throw error;
  }
};

/**
 * What access rules refuse; undefined where they allow the whole image, or logging in would not
 * help.
 */
const ruled = async (
  exchange: Exchange,
  named: Pick<NamedImage, "id" | "session">,
  {
    marked,
    version,
    ...deps
  }: ProbeDeps & {
    readonly currentAuth: Auth;
    readonly marked: MarkedSegment;
    readonly version: number;
  },
): Promise<Result | undefined> => {
  const { currentAuth: auth } = deps;
  const policy = deps.policy?.();
  if (policy === undefined) return undefined;
  const wanted = { identifier: named.id.identifier, marked };
  const asked = accessQueryOf(policy, exchange, wanted, auth);
  const token = bearerToken(exchange.request.headers.authorization);
  const find = withSessions(auth, (service) => sessionOfToken(auth, token, service));
  const asker = { ...asked.asker, auth: find };
  const verdict = verdictOf(policy, { asker });
  if (verdict === undefined || !isLess(verdict.outcome)) return undefined;
  const { services } = protectionOf(policy, auth, asked.asker);
  if (services.length === 0)
    return verdict.outcome.action === "deny" ? { status: verdict.outcome.status } : undefined;
  const parts = { exchange, version, policy, asked: { asker }, deps };
  const uri = await substituteUri(verdict.outcome, named, parts);
  const substitute = { id: `${uri}/info.json`, type: `ImageService${version}` };
  const [first] = services;
  return {
    status: 401,
    ...texts({ heading: first?.errorHeading, note: first?.errorNote }, auth),
    ...(uri === undefined ? {} : { substitute: [substitute] }),
  };
};
