import { decide } from "../../access/decide.ts";
import type { Policy } from "../../access/policy.ts";
import type { RuleOutcome } from "../../access/rules.ts";
import { identifierSegment, unconstrained } from "../../core/identifier.ts";
import type { IiifDeps } from "../permission/deps.ts";
import { segmentFor } from "../permission/identifier.ts";
import type { AskedAccess } from "../permission/permission.ts";
import type { Exchange } from "../request/exchange.ts";
import type { NamedImage } from "../request/query.ts";

/** What segments are written by. */
export type SegmentDeps = Pick<IiifDeps, "delegate" | "identifierSyntax" | "isTransformed">;

/**
 * The URI of what an outcome offers instead, to whoever may see that; undefined where there is
 * nothing. `id` is the image that was asked for.
 */
export const substituteUri = async (
  { substitute }: RuleOutcome,
  { id, session }: Pick<NamedImage, "id" | "session">,
  parts: {
    readonly exchange: Exchange;
    readonly version: number;
    readonly policy: Policy;
    readonly asked: Pick<AskedAccess, "asker">;
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
