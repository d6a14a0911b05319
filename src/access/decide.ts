import { type AccessRule, commaSeparated, type RuleOutcome } from "./rules.ts";
import { includesDigest, sha256 } from "./secrets.ts";

/** A request as rules see it. */
export interface RuleRequest {
  readonly identifier: string;
  /** The client's address; empty where unknown. */
  readonly address: string;
  /** The bearer token; undefined without one. */
  readonly token: string | undefined;
  /**
   * The value of a header field from a trusted proxy; undefined without one. The name is in lower
   * case.
   */
  readonly header: (name: string) => string | undefined;
  /** Whether the URL has a valid signature. */
  readonly signed: () => boolean;
  /**
   * Whether the client is logged in at an auth service, and in one of the groups, if any are given.
   */
  readonly auth: (service: string, groups: readonly string[] | undefined) => boolean;
}

/** Inputs that a decision may depend on. */
export type Condition = "identifier" | "address" | "token" | "header" | "signed" | "auth";

/** The decision of the rules. */
export interface RuleDecision {
  /** The rule that decided; undefined where none matched. */
  readonly rule: AccessRule | undefined;
  readonly outcome: RuleOutcome;
  /**
   * What the response depends on besides the identifier: every input that was evaluated and may
   * differ another time.
   */
  readonly dependsOn: ReadonlySet<Condition>;
}

/** The first condition of a rule that is not met; undefined where all are. */
export const failing = (rule: AccessRule, asker: RuleRequest): Condition | undefined => {
  const { identifier, address, tokens, header } = rule;
  if (identifier && identifier.pattern.find(asker.identifier) === undefined) return "identifier";
  if (address && !holdsFor(asker.address, rule, address)) return "address";
  if (header && !hasValue(asker.header(header.name), header.values)) return "header";
  if (tokens && (asker.token === undefined || !includesDigest(sha256(asker.token), tokens)))
    return "token";
  if (rule.signed && !asker.signed()) return "signed";
  // Last: where only this fails, logging in helps.
  if (rule.auth && !asker.auth(rule.auth.service, rule.auth.groups)) return "auth";
  return undefined;
};

/** A client without an address may be one of those to be kept out. */
const holdsFor = (
  client: string,
  { outcome }: AccessRule,
  { networks }: NonNullable<AccessRule["address"]>,
): boolean => (client === "" ? outcome.action === "deny" : networks.has(client));

const hasValue = (value: string | undefined, values: readonly string[] | undefined): boolean => {
  if (value === undefined || value.trim() === "") return false;
  return values?.some((one) => value === one || commaSeparated(value).includes(one)) ?? true;
};

/** Decides by the first matching rule; `rules` are those whose identifier matches. */
export const decide = (
  rules: readonly AccessRule[],
  asker: RuleRequest,
  otherwise: RuleOutcome["action"],
): RuleDecision => {
  const dependsOn = new Set<Condition>();
  for (const rule of rules) {
    for (const condition of conditionsOf(rule)) dependsOn.add(condition);
    if (failing(rule, asker) === undefined) return { rule, outcome: rule.outcome, dependsOn };
  }
  const outcome: RuleOutcome =
    otherwise === "allow" ? { action: "allow" } : { action: "deny", status: 403 };
  return { rule: undefined, outcome, dependsOn };
};

/** The conditions of a rule that depend on the client. */
const conditionsOf = (rule: AccessRule): readonly Condition[] => [
  ...(rule.address ? (["address"] as const) : []),
  ...(rule.tokens ? (["token"] as const) : []),
  ...(rule.header ? (["header"] as const) : []),
  ...(rule.signed ? (["signed"] as const) : []),
  ...(rule.auth ? (["auth"] as const) : []),
];
