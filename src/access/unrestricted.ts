import type { CurrentPolicy, Policy } from "./policy.ts";
import type { AccessRule } from "./rules.ts";

/**
 * The policy for the server's own requests, which fill caches: nothing is denied, confined or
 * needs a signature, but watermarks stay, so that derivatives equal those of clients without a
 * login.
 */
export const unrestricted = (current: CurrentPolicy): CurrentPolicy => {
  let [seen, policy]: [Policy | undefined, Policy | undefined] = [undefined, undefined];
  return () => {
    const now = current();
    if (now !== seen) policy = now && withoutRestrictions(now);
    seen = now;
    return policy;
  };
};

const withoutRestrictions = (policy: Policy): Policy => ({
  rules: policy.rules.flatMap(allowing),
  otherwise: "allow",
  signatures: undefined,
  rulesFor: (identifier) => policy.rulesFor(identifier).flatMap(allowing),
  isSignatureRequired: () => false,
});

/** The rule without its denials and limits. */
const allowing = (rule: AccessRule): readonly AccessRule[] => {
  const { outcome } = rule;
  if (outcome.action === "deny") return [];
  const { watermark } = outcome;
  return [{ ...rule, outcome: { action: "allow", ...(watermark ? { watermark } : {}) } }];
};
