import { decide } from "../../access/decide.ts";
import type { Policy } from "../../access/policy.ts";
import type { RuleOutcome } from "../../access/rules.ts";
import { identifierSegment, unconstrained } from "../../core/identifier.ts";
import type { IiifDeps } from "../permission/deps.ts";
import { segmentFor } from "../permission/identifier.ts";
import type { AccessQuery } from "../permission/permission.ts";
import type { Exchange } from "../request/exchange.ts";
import type { NamedImage } from "../request/query.ts";

/** How identifier segments are written. */
export type SegmentDeps = Pick<IiifDeps, "delegate" | "identifierSyntax" | "isTransformed">;

/**
 * The URI of the substitute that an outcome offers, if the client may see it; undefined where there
 * is none. `id` is the requested image.
 */
export const substituteUri = async (
  { substitute }: RuleOutcome,
  { id, session }: Pick<NamedImage, "id" | "session">,
  parts: {
    readonly exchange: Exchange;
    readonly version: number;
    readonly policy: Policy;
    readonly asked: Pick<AccessQuery, "asker">;
    readonly deps: SegmentDeps;
  },
): Promise<string | undefined> => {
  if (substitute === undefined) return undefined;
  const { exchange, version, policy, asked, deps } = parts;
  const other =
    "constraint" in substitute
      ? { ...id, constraint: substitute.constraint }
      : { identifier: substitute.identifier, page: 1, constraint: unconstrained };
  if ("identifier" in substitute) {
    const asker = { ...asked.asker, identifier: substitute.identifier };
    const { outcome } = decide(policy.rulesFor(asker.identifier), asker, policy.otherwise);
    if (outcome.action === "deny") return undefined;
  }
  const segment = session
    ? await segmentFor(other, session, exchange, deps)
    : identifierSegment(other, deps.identifierSyntax());
  return `${exchange.address.base}/iiif/${version}/${segment}`;
};
