import {
  type Condition,
  decide,
  failing,
  type RuleDecision,
  type RuleRequest,
} from "../access/decide.ts";
import type { Policy } from "../access/policy.ts";
import type { AccessRule, RuleOutcome } from "../access/rules.ts";
import type { Auth } from "./auth.ts";
import type { AuthService } from "./services.ts";
import type { Session } from "./sessions.ts";

/**
 * What access rules decide for an image and a client without a session, and where logging in helps.
 */
export interface Protection {
  /** For the client as it is, without any session. */
  readonly verdict: RuleDecision;
  /** Services that may allow the client more, in the order of the rules; may be empty. */
  readonly services: readonly AuthService[];
}

/** Evaluates rules as if the client were not logged in. `asker` is the client. */
export const protectionOf = (policy: Policy, auth: Auth, asker: RuleRequest): Protection => {
  const rules = policy.rulesFor(asker.identifier);
  const stranger: RuleRequest = { ...asker, auth: isExternal(auth) };
  const verdict = decide(rules, stranger, policy.otherwise);
  if (!isLess(verdict.outcome)) return { verdict, services: [] };
  const services = new Set<AuthService>();
  for (const rule of rules) {
    if (rule === verdict.rule) break;
    const service = serviceFor(rule, auth, stranger);
    if (service) services.add(service);
  }
  return { verdict, services: [...services] };
};

/** Whether an outcome allows less than the whole image. */
export const isLess = (outcome: RuleOutcome): boolean =>
  outcome.action === "deny" || outcome.confinement !== undefined;

/**
 * The service with which a rule that allows the image would match; undefined where there is none.
 */
const serviceFor = (
  rule: AccessRule,
  auth: Auth,
  stranger: RuleRequest,
): AuthService | undefined => {
  const service = rule.auth && auth.services.get(rule.auth.service);
  if (service === undefined || rule.outcome.action !== "allow") return undefined;
  const fails = failing(rule, stranger);
  const helps = service.profile === "external" ? external : loggedIn;
  return fails !== undefined && helps.has(fails) ? service : undefined;
};

const loggedIn: ReadonlySet<Condition> = new Set(["auth"]);
/** Clients elsewhere, or behind another proxy, may meet other conditions. */
const external: ReadonlySet<Condition> = new Set(["address", "header"]);

/**
 * The condition `auth` of a client without any session: services of the profile external need none.
 */
const isExternal =
  (auth: Auth): RuleRequest["auth"] =>
  (name) =>
    auth.services.get(name)?.profile === "external";

/** The condition `auth` of a client with sessions, by the service's name. */
export const withSessions = (
  auth: Auth,
  find: (service: string) => Session | undefined,
): RuleRequest["auth"] => {
  const always = isExternal(auth);
  return (service, groups) => {
    if (always(service, groups)) return true;
    const session = find(service);
    return (
      session !== undefined &&
      (groups === undefined || groups.some((group) => session.groups.includes(group)))
    );
  };
};

/**
 * Whether a client meets the condition of a service of the profile kiosk or external: a rule with
 * it matches but for its identifier.
 */
export const hasAspect = (policy: Policy, { name }: AuthService, asker: RuleRequest): boolean =>
  policy.rules.some((rule) => {
    if (rule.auth?.service !== name || rule.outcome.action !== "allow") return false;
    const { identifier: _, ...anywhere } = rule;
    return failing(anywhere, { ...asker, auth: () => true }) === undefined;
  });
