import type { RuleReport, TrialOutcome } from "../server/wire.ts";

type Outcome = TrialOutcome["outcome"];

/** The decision on a request, in a few words. */
export const outcomeWords = (outcome: Outcome): string => {
  if (outcome.action === "deny") return `denied with ${outcome.status}`;
  const { side, area } = outcome.confinement ?? {};
  const bounds = [
    ...(side === undefined ? [] : [`${side} pixels a side`]),
    ...(area === undefined ? [] : [`${area} pixels in all`]),
  ];
  const marked = outcome.watermark === undefined ? "" : ", with a watermark";
  return `allowed${bounds.length === 0 ? "" : ` up to ${bounds.join(" and ")}`}${marked}`;
};

/** The conditions of a rule, each in a few words; empty for a rule without any. */
export const conditionWords = (rule: RuleReport): readonly string[] => {
  const { identifier, address, tokens, header, signed, auth } = rule;
  return [
    ...(identifier === undefined ? [] : [`identifier ${identifier}`]),
    ...(address === undefined ? [] : [`address ${address.join(", ")}`]),
    ...(tokens === undefined ? [] : [tokens === 1 ? "a token" : `one of ${tokens} tokens`]),
    ...(header === undefined
      ? []
      : [
          `header ${header.name}${header.values === undefined ? "" : `: ${header.values.join(" or ")}`}`,
        ]),
    ...(signed ? ["signed URL"] : []),
    ...(auth === undefined
      ? []
      : [
          `login at ${auth.service}${auth.groups === undefined ? "" : ` in ${auth.groups.join(" or ")}`}`,
        ]),
  ];
};

/** The reason for an outcome, as a sentence. */
export const reasonWords = ({ by, outcome }: TrialOutcome): string => {
  switch (by) {
    case "nothing":
      return "There are no access rules.";
    case "signature":
      return "access.signatures.required demands a signature.";
    case "default":
      return `No rule matches, and access.default is ${outcome.action}.`;
    default:
      return `Rule ${by} is the first that matches.`;
  }
};

type Condition = NonNullable<TrialOutcome["steps"][number]["fails"]>;

/** Why a rule does not match. */
export const failureWords: Readonly<Record<Condition, string>> = {
  identifier: "the pattern is not found in the identifier",
  address: "the address does not match the rule",
  token: "the token is missing or wrong",
  header: "the header is missing or has another value",
  signed: "the URL is not signed",
  auth: "the client is not logged in, or not in one of the rule's groups",
};
