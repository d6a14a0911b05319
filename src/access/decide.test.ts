import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { decide, type RuleRequest } from "./decide.ts";
import { createPolicy } from "./policy.ts";

const token = "reader-token-0123456789";
const other = "staff-token-0123456789";
const hash = createHash("sha256").update(other).digest("hex");

/** In a file these would have the prefix `access.rules.`. */
const rules = {
  "10.identifier": "^closed/",
  "10.action": "deny",
  "10.status": "404",
  "20.identifier": "^reading-room/",
  "20.address": ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"],
  "20.action": "allow",
  "21.identifier": "^reading-room/",
  "21.action": "allow",
  "21.max_size": 600,
  "30.identifier": "^staff/",
  "30.token": `${token}, sha256:${hash}`,
  "30.action": "allow",
  "31.identifier": "^staff/",
  "31.header": "X-Remote-Groups",
  "31.header_value": "staff, head librarian",
  "31.action": "allow",
  "32.identifier": "^staff/",
  "32.action": "deny",
  "32.status": "401",
  "40.identifier": "^lent/",
  "40.signed": true,
  "40.action": "allow",
  "50.identifier": "(?i)\\.jpg$",
  "50.action": "allow",
  "60.header": "x-anything",
  "60.action": "allow",
};

const policyOf = (values: Readonly<Record<string, unknown>>) => {
  const entries = Object.entries(values).map(([key, value]) =>
    key.startsWith("access.") ? [key, value] : [`access.rules.${key}`, value],
  );
  const policy = createPolicy(new Config(Object.fromEntries(entries)), silent)();
  if (policy === undefined) throw new Error("Expected a policy");
  return policy;
};

interface Case {
  readonly of: string;
  readonly from?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signed?: boolean;
}

const verdictOf = (policy: ReturnType<typeof policyOf>, asked: Case) => {
  const asker: RuleRequest = {
    identifier: asked.of,
    address: asked.from ?? "203.0.113.9",
    token: asked.token,
    header: (name) => asked.headers?.[name],
    auth: () => false,
    signed: () => asked.signed ?? false,
  };
  const { rule, outcome, dependsOn } = decide(policy.rulesFor(asked.of), asker, policy.otherwise);
  return { rule: rule?.number, outcome, dependsOn: [...dependsOn].sort().join(" ") };
};

const allow = { action: "allow" };
const denied = (status: number) => ({ action: "deny", status });
const small = { action: "allow", confinement: { side: 600 } };

describe("the first matching rule", () => {
  const policy = policyOf(rules);
  it.each<[Case, number | undefined, object, string]>([
    [{ of: "closed/a.tif" }, 10, denied(404), ""],
    [{ of: "closed/a.jpg", token, signed: true }, 10, denied(404), ""],
    // Matching is case-sensitive and anchored.
    [{ of: "Closed/a.tif" }, undefined, denied(403), "header"],
    [{ of: "x/closed/a.JPG" }, 50, allow, ""],
    [{ of: "reading-room/a", from: "192.0.2.255" }, 20, allow, "address"],
    [{ of: "reading-room/a", from: "::ffff:192.0.2.1" }, 20, allow, "address"],
    [{ of: "reading-room/a", from: "198.51.100.7" }, 20, allow, "address"],
    [{ of: "reading-room/a", from: "198.51.100.8" }, 21, small, "address"],
    [{ of: "reading-room/a", from: "2001:db8:1::1" }, 20, allow, "address"],
    [{ of: "reading-room/a", from: "2001:db9::1" }, 21, small, "address"],
    [{ of: "reading-room/a", from: "" }, 21, small, "address"],
    [{ of: "staff/a", token }, 30, allow, "token"],
    [{ of: "staff/a", token: other }, 30, allow, "token"],
    [{ of: "staff/a", token: hash }, 32, denied(401), "header token"],
    [{ of: "staff/a", token: `${token}x` }, 32, denied(401), "header token"],
    [{ of: "staff/a" }, 32, denied(401), "header token"],
    [{ of: "staff/a", headers: { "x-remote-groups": "a, staff" } }, 31, allow, "header token"],
    [
      { of: "staff/a", headers: { "x-remote-groups": "head librarian" } },
      31,
      allow,
      "header token",
    ],
    [
      { of: "staff/a", headers: { "x-remote-groups": "not staff" } },
      32,
      denied(401),
      "header token",
    ],
    [{ of: "staff/a", headers: { "x-remote-groups": "staff2" } }, 32, denied(401), "header token"],
    [{ of: "lent/a", signed: true }, 40, allow, "signed"],
    [{ of: "lent/a" }, undefined, denied(403), "header signed"],
    [{ of: "else", headers: { "x-anything": "1" } }, 60, allow, "header"],
    [{ of: "else", headers: { "x-anything": " " } }, undefined, denied(403), "header"],
  ])("%j: rule %s", (asked, rule, outcome, dependsOn) => {
    expect(verdictOf(policy, asked)).toEqual({ rule, outcome, dependsOn });
  });

  it("leaves what no rule matches to access.default", () => {
    const open = policyOf({ ...rules, "access.default": "allow" });
    expect(verdictOf(open, { of: "else" }).outcome).toEqual(allow);
  });

  it("denies clients without a known address where addresses are excluded", () => {
    const closed = policyOf({
      "1.address": ["192.0.2.0/24"],
      "1.action": "deny",
      "2.action": "allow",
    });
    expect(verdictOf(closed, { of: "a", from: "" }).rule).toBe(1);
    expect(verdictOf(closed, { of: "a", from: "203.0.113.1" }).rule).toBe(2);
  });

  it("is cached for an identifier that was requested before", () => {
    const outcomes = [1, 2].map(() => verdictOf(policy, { of: "staff/b" }).rule);
    expect(outcomes).toEqual([32, 32]);
  });
});
