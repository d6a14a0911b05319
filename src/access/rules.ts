import type { Fault } from "../config/keys.ts";
import { numberOf } from "../config/numbered.ts";
import type { Snapshot } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { type Constraint, reduceConstraint } from "../core/identifier.ts";
import { type Networks, readNetworks } from "../core/networks.ts";
import type { Watermark } from "../core/overlay-description.ts";
import type { Confinement } from "../core/request.ts";
import { type Pattern, readPattern } from "../sources/pattern.ts";
import { accessRuleKeys, rulePrefix } from "./keys.ts";
import { fewestCharacters, listed, sha256 } from "./secrets.ts";
import { watermarkKeys, watermarkOf } from "./watermark.ts";

/** The action of a rule. */
export type RuleOutcome =
  | {
      readonly action: "allow";
      readonly confinement?: Confinement;
      readonly substitute?: Substitute;
      readonly watermark?: Watermark;
    }
  | {
      readonly action: "deny";
      readonly status: 401 | 403 | 404;
      readonly substitute?: Substitute;
    };

/** The alternative for clients that are not logged in: the same image smaller, or another one. */
export type Substitute = { readonly constraint: Constraint } | { readonly identifier: string };

/** An access rule; absent conditions do not apply. */
export interface AccessRule {
  readonly number: number;
  readonly identifier?: { readonly text: string; readonly pattern: Pattern };
  readonly address?: { readonly texts: readonly string[]; readonly networks: Networks };
  /** SHA-256 of each. */
  readonly tokens?: readonly Buffer[];
  /** The name in lower case; any non-empty value where there is no list. */
  readonly header?: { readonly name: string; readonly values?: readonly string[] };
  readonly signed: boolean;
  /** An auth service, and groups of which one is enough. */
  readonly auth?: { readonly service: string; readonly groups?: readonly string[] };
  readonly outcome: RuleOutcome;
}

type RuleKey = keyof typeof accessRuleKeys;

/** What a rule is parsed from: its settings, and where to report faults. */
interface RuleDraft {
  readonly number: number;
  readonly text: (key: RuleKey) => string;
  readonly value: (key: RuleKey) => unknown;
  readonly fault: (key: RuleKey, message: string) => undefined;
}

/** Parses all configured access rules in order; reports what is wrong with them. */
export const readRules = (
  values: Snapshot,
): { readonly rules: readonly AccessRule[]; readonly faults: readonly Fault[] } => {
  const faults: Fault[] = [];
  const rules = numbersIn(values).flatMap((number): readonly AccessRule[] => {
    const keyOf = (key: RuleKey): string => `${rulePrefix}${number}.${key}`;
    const value = (key: RuleKey): unknown => values[keyOf(key)] ?? accessRuleKeys[key].default;
    const rule = readRule({
      number,
      value,
      text: (key) => String(value(key) ?? ""),
      fault(key, message) {
        faults.push({ key: keyOf(key), message: `${keyOf(key)}: ${message}` });
      },
    });
    return rule ? [rule] : [];
  });
  return { rules, faults };
};

/** The watermarks of rules by number. */
export const watermarksOf = (
  rules: readonly AccessRule[],
): readonly { readonly number: number; readonly watermark: Watermark }[] =>
  rules.flatMap(({ number, outcome }) =>
    outcome.action === "allow" && outcome.watermark
      ? [{ number, watermark: outcome.watermark }]
      : [],
  );

const numbersIn = (values: Snapshot): readonly number[] => {
  const numbers = Object.entries(values).flatMap(([key, value]) => {
    const found = value === null ? undefined : numberOf(rulePrefix, key);
    return found === undefined ? [] : [found.number];
  });
  return [...new Set(numbers)].sort((one, other) => one - other);
};

const readRule = (draft: RuleDraft): AccessRule | undefined => {
  const identifier = identifierOf(draft);
  const address = addressOf(draft);
  const tokens = tokensOf(draft);
  const header = headerOf(draft);
  const auth = authOf(draft);
  const outcome = outcomeOf(draft);
  return (
    outcome && {
      number: draft.number,
      ...(identifier ? { identifier } : {}),
      ...(address ? { address } : {}),
      ...(tokens ? { tokens } : {}),
      ...(header ? { header } : {}),
      signed: draft.value("signed") === true,
      ...(auth ? { auth } : {}),
      outcome,
    }
  );
};

const identifierOf = ({ text, fault }: RuleDraft): AccessRule["identifier"] => {
  const written = text("identifier");
  if (written === "") return undefined;
  try {
    return { text: written, pattern: readPattern(written) };
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return fault("identifier", `${error.message}.`);
  }
};

const addressOf = ({ value, fault }: RuleDraft): AccessRule["address"] => {
  const given = value("address");
  const texts = Array.isArray(given) ? given.map(String) : [];
  if (texts.length === 0) return undefined;
  const { networks, wrong } = readNetworks(texts);
  if (wrong.length === 0) return { texts, networks };
  return fault(
    "address",
    `expected addresses and networks such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32, got ${wrong.join(", ")}.`,
  );
};

const hashed = /^sha256:([0-9a-f]{64})$/i;

/** RFC 6750 §2.1. */
const bearer = /^[A-Za-z0-9\-._~+/]+=*$/;

const tokensOf = ({ text, fault }: RuleDraft): AccessRule["tokens"] => {
  const tokens = listed(text("token"));
  if (tokens.length === 0) return undefined;
  const digests = tokens.flatMap((token) => {
    const [, hash] = hashed.exec(token) ?? [];
    if (hash !== undefined) return [Buffer.from(hash, "hex")];
    return token.length >= fewestCharacters && bearer.test(token) ? [sha256(token)] : [];
  });
  return digests.length === tokens.length
    ? digests
    : fault(
        "token",
        `expected tokens of at least ${fewestCharacters} letters, digits and -._~+/ each, or sha256: and 64 hexadecimal digits; ${tokens.length - digests.length} of ${tokens.length} are something else.`,
      );
};

/** RFC 9110 §5.1. */
const fieldName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

const headerOf = ({ text, fault }: RuleDraft): AccessRule["header"] => {
  const name = text("header").toLowerCase();
  const values = commaSeparated(text("header_value"));
  if (name === "")
    return values.length === 0
      ? undefined
      : fault("header_value", "expected a name in header as well, got none.");
  if (!fieldName.test(name)) return fault("header", "expected the name of a header field.");
  return { name, ...(values.length === 0 ? {} : { values }) };
};

const authOf = ({ text, fault }: RuleDraft): AccessRule["auth"] => {
  const service = text("auth");
  const groups = commaSeparated(text("auth_groups"));
  if (service === "")
    return groups.length === 0
      ? undefined
      : fault("auth_groups", "expected the name of a service in auth as well, got none.");
  return { service, ...(groups.length === 0 ? {} : { groups }) };
};

/** Splits at commas, without empty parts. */
export const commaSeparated = (text: string): readonly string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const outcomeOf = (draft: RuleDraft): RuleOutcome | undefined => {
  switch (draft.text("action")) {
    case "allow":
      return allowing(draft);
    case "deny":
      return denying(draft);
    default:
      return draft.fault("action", "expected allow or deny, got nothing.");
  }
};

const allowing = (draft: RuleDraft): RuleOutcome | undefined => {
  const { text, value, fault } = draft;
  if (text("status") !== "") return fault("status", "belongs to rules with action = deny.");
  const [side, area] = [value("max_size"), value("max_area")];
  const substitute = substituteOf(draft);
  const watermark = watermarkOf(draft);
  const marked = watermark ? { watermark } : {};
  if (typeof side !== "number" && typeof area !== "number")
    return substitute === undefined
      ? { action: "allow", ...marked }
      : fault("substitute", "belongs to rules with action = deny or with max_size or max_area.");
  return {
    action: "allow",
    ...marked,
    ...(substitute ? { substitute } : {}),
    confinement: {
      ...(typeof side === "number" ? { side } : {}),
      ...(typeof area === "number" ? { area } : {}),
    },
  };
};

const constraintForm = /^([1-9]\d{0,5}):([1-9]\d{0,5})$/;

const substituteOf = ({ text, fault }: RuleDraft): Substitute | undefined => {
  const given = text("substitute");
  if (given === "") return undefined;
  const [, numerator = "", denominator = ""] = constraintForm.exec(given) ?? [];
  if (numerator === "") return { identifier: given };
  const constraint = { numerator: Number(numerator), denominator: Number(denominator) };
  return constraint.numerator < constraint.denominator
    ? { constraint: reduceConstraint(constraint) }
    : fault("substitute", `expected a scale below 1, such as 1:4, got ${given}.`);
};

const denying = (draft: RuleDraft): RuleOutcome | undefined => {
  const { text, value, fault } = draft;
  for (const key of ["max_size", "max_area"] as const)
    if (value(key) !== null) return fault(key, "belongs to rules with action = allow.");
  for (const key of watermarkKeys)
    if (value(key) !== accessRuleKeys[key].default)
      return fault(key, "belongs to rules with action = allow.");
  const status = text("status");
  const substitute = substituteOf(draft);
  if (substitute && "constraint" in substitute)
    return fault(
      "substitute",
      "expected another identifier: the rule denies the image at every scale.",
    );
  return {
    action: "deny",
    status: status === "401" ? 401 : status === "404" ? 404 : 403,
    ...(substitute ? { substitute } : {}),
  };
};
