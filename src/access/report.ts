import { type Condition, decide, failing, type RuleRequest } from "./decide.ts";
import type { Policy } from "./policy.ts";
import type { AccessRule, RuleOutcome } from "./rules.ts";

/** Access rules and signatures without secrets. */
export interface AccessReport {
  /** In order. */
  readonly rules: readonly RuleReport[];
  /** The decision on requests that no rule matches. */
  readonly otherwise: RuleOutcome["action"];
  /** Absent where URLs are not signed. */
  readonly signatures?: {
    /** The ids of the keys; the first one signs. */
    readonly keys: readonly string[];
    /** `off`, `all`, or a pattern of identifiers. */
    readonly required: string;
  };
  /** Whether a delegate decides, too. */
  readonly delegate: boolean;
}

/** A rule; absent conditions do not apply. */
export interface RuleReport {
  readonly number: number;
  readonly identifier?: string;
  readonly address?: readonly string[];
  /** Their number. */
  readonly tokens?: number;
  readonly header?: { readonly name: string; readonly values?: readonly string[] };
  readonly signed: boolean;
  readonly auth?: { readonly service: string; readonly groups?: readonly string[] };
  readonly outcome: RuleOutcome;
}

/** A hypothetical request. */
export interface TrialRequest {
  readonly identifier: string;
  /** Empty where unknown. */
  readonly address: string;
  /** Empty without one. */
  readonly token: string;
  /** A header field from a trusted proxy; the name is empty without one. */
  readonly header: { readonly name: string; readonly value: string };
  /** Whether its URL has a valid signature. */
  readonly signed: boolean;
  /**
   * The auth service that the client is logged in at, as a member of any group; absent for none.
   */
  readonly auth?: string;
}

/** The decision on a hypothetical request, and its reason. */
export interface TrialOutcome {
  readonly outcome: RuleOutcome;
  /**
   * What decided: the number of a rule, `access.default`, a required signature, or the lack of any
   * rule.
   */
  readonly by: number | "default" | "signature" | "nothing";
  /** The evaluated rules, each with its first unmet condition, if any. */
  readonly steps: readonly { readonly number: number; readonly fails?: Condition }[];
  /** Whether shared caches may store the response. */
  readonly shared: boolean;
}

/** Shows a policy; undefined means none. */
export const reportPolicy = (policy: Policy | undefined, delegate: boolean): AccessReport => ({
  rules: policy?.rules.map(reportRule) ?? [],
  otherwise: policy === undefined || policy.rules.length === 0 ? "allow" : policy.otherwise,
  ...(policy?.signatures
    ? {
        signatures: {
          keys: policy.signatures.keys.map(({ id }) => id),
          required: requiredText(policy.signatures.required),
        },
      }
    : {}),
  delegate,
});

const requiredText = (required: NonNullable<Policy["signatures"]>["required"]): string =>
  typeof required === "string" ? required : required.text;

const reportRule = ({
  number,
  identifier,
  address,
  tokens,
  header,
  signed,
  auth,
  outcome,
}: AccessRule): RuleReport => ({
  number,
  ...(identifier ? { identifier: identifier.text } : {}),
  ...(address ? { address: address.texts } : {}),
  ...(tokens ? { tokens: tokens.length } : {}),
  ...(header ? { header } : {}),
  signed,
  ...(auth ? { auth } : {}),
  outcome,
});

/** The decision of signatures and rules; a delegate is not asked. */
export const tryPolicy = (policy: Policy | undefined, trial: TrialRequest): TrialOutcome => {
  if (policy === undefined) return free;
  const isRequired = policy.isSignatureRequired(trial.identifier);
  if (isRequired && !trial.signed)
    return {
      outcome: { action: "deny", status: 403 },
      by: "signature",
      steps: [],
      shared: false,
    };
  if (policy.rules.length === 0) return { ...free, shared: !isRequired };
  const { header } = trial;
  const asker: RuleRequest = {
    identifier: trial.identifier,
    address: trial.address,
    token: trial.token === "" ? undefined : trial.token,
    header: (name) => (name === header.name.toLowerCase() ? header.value : undefined),
    signed: () => trial.signed,
    auth: (service) => service === trial.auth,
  };
  const { rule, outcome, dependsOn } = decide(
    policy.rulesFor(trial.identifier),
    asker,
    policy.otherwise,
  );
  const gone = rule ? policy.rules.slice(0, policy.rules.indexOf(rule) + 1) : policy.rules;
  return {
    outcome,
    by: rule?.number ?? "default",
    steps: gone.map((one) => {
      const fails = failing(one, asker);
      return { number: one.number, ...(fails ? { fails } : {}) };
    }),
    shared: outcome.action === "allow" && dependsOn.size === 0 && !isRequired,
  };
};

const free: TrialOutcome = {
  outcome: { action: "allow" },
  by: "nothing",
  steps: [],
  shared: true,
};
