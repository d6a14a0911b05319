import { variableOf } from "../config/environment.ts";
import type { Fault, WrittenConfiguration } from "../config/keys.ts";
import type { Config, Snapshot } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { accessKeys, accessRuleKeys, rulePrefix } from "./keys.ts";
import { type AccessRule, readRules } from "./rules.ts";
import { readSignatures, type Signatures } from "./signatures.ts";

/** The configured access policy. */
export interface Policy {
  /** In order. */
  readonly rules: readonly AccessRule[];
  /** The decision on requests that no rule matches, where there are rules. */
  readonly otherwise: "allow" | "deny";
  readonly signatures: Signatures | undefined;
  /** The rules whose identifier matches, in order. */
  rulesFor(identifier: string): readonly AccessRule[];
  /** Whether URLs of an image must be signed, regardless of rules. */
  isSignatureRequired(identifier: string): boolean;
}

/** Returns the current policy; undefined where none is configured, and everything is allowed. */
export type CurrentPolicy = () => Policy | undefined;

/**
 * Reads the configured policy, and again after each change; an invalid one does not replace a valid
 * one. Throws `malformed` where the first is invalid.
 */
export const createPolicy = (config: Config, log: Logger): CurrentPolicy => {
  let seen = config.current;
  const first = readPolicy(seen);
  if (first.faults.length > 0) fail("malformed", messagesOf(first.faults));
  let { policy } = first;
  return () => {
    if (seen === config.current) return policy;
    seen = config.current;
    const read = readPolicy(seen);
    if (read.faults.length === 0) policy = read.policy;
    else
      log.error("The access rules are invalid; the previous ones stay in effect.", {
        reason: messagesOf(read.faults),
      });
    return policy;
  };
};

const messagesOf = (faults: readonly Fault[]): string =>
  faults.map(({ message }) => message).join("\n");

/** What is wrong with the configured access rules and signatures, including unknown keys. */
export const accessFaults = ({
  values,
  names,
  variables,
}: WrittenConfiguration): readonly Fault[] => [
  ...readPolicy(values).faults,
  ...unknownKeys(names),
  ...unknownVariables(variables),
];

const readPolicy = (
  values: Snapshot,
): { readonly policy: Policy | undefined; readonly faults: readonly Fault[] } => {
  const { rules, faults } = readRules(values);
  const { signatures, faults: further } = readSignatures(values);
  const otherwise = values["access.default"] === "allow" ? "allow" : "deny";
  const isEmpty = rules.length === 0 && signatures === undefined;
  return {
    faults: [...faults, ...further],
    policy: isEmpty
      ? undefined
      : {
          rules,
          otherwise,
          signatures,
          rulesFor: rulesBy(rules),
          isSignatureRequired: requiredBy(signatures),
        },
  };
};

/**
 * Matching patterns takes longer than the rest of a rule, and the same images are requested again,
 * so results are cached.
 */
const rulesBy = (rules: readonly AccessRule[]): Policy["rulesFor"] => {
  const found = new Map<string, readonly AccessRule[]>();
  return (identifier) => {
    const known = found.get(identifier);
    if (known) return known;
    const fitting = rules.filter(
      (rule) => !rule.identifier || rule.identifier.pattern.find(identifier),
    );
    if (found.size >= maxRemembered) found.clear();
    found.set(identifier, fitting);
    return fitting;
  };
};

const requiredBy = (signatures: Signatures | undefined): Policy["isSignatureRequired"] => {
  const required = signatures?.required ?? "off";
  return (identifier) =>
    required === "all" || (required !== "off" && required.pattern.find(identifier) !== undefined);
};

const maxRemembered = 1_000;

/** A misspelt condition must not be ignored: the rule would match more than it should. */
const unknownKeys = (names: readonly string[]): readonly Fault[] =>
  names
    .filter((name) => name.startsWith("access.") && !Object.hasOwn(accessKeys, name))
    .flatMap((key): readonly Fault[] => {
      const [, rest = ""] = /^access\.rules\.[1-9]\d{0,2}\.(.+)$/.exec(key) ?? [];
      if (Object.hasOwn(accessRuleKeys, rest)) return [];
      const expected = key.startsWith(rulePrefix)
        ? `a number from 1 to 999 and one of ${Object.keys(accessRuleKeys).join(", ")}`
        : `one of ${Object.keys(accessKeys).join(", ")} or ${rulePrefix}1.…`;
      return [{ key, message: `${key}: there is no such key; expected ${expected}.` }];
    });

const unknownVariables = (variables: readonly string[]): readonly Fault[] => {
  const start = variableOf(rulePrefix);
  const known = new Set(Object.keys(accessRuleKeys).map(variableOf));
  return variables
    .filter((name) => name.startsWith(start))
    .filter((name) => {
      const [, rest = ""] = /^[1-9]\d{0,2}_(.+)$/.exec(name.slice(start.length)) ?? [];
      return !known.has(rest);
    })
    .map((key) => ({
      key,
      message: `${key}: this environment variable is not a key of an access rule; expected ${start}, a number from 1 to 999, and one of ${[...known].join(", ")}.`,
    }));
};
