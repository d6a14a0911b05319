import { isIP } from "node:net";
import { reportPolicy, type TrialRequest, tryPolicy } from "../../access/report.ts";
import { fail } from "../../core/errors.ts";
import { withoutMapping } from "../../core/networks.ts";
import { jsonObject } from "../api/json.ts";
import type { Answering } from "./exchange.ts";

/** Shows access rules and signatures. */
export const showAccess: Answering = async ({ policy, delegate }) => ({
  status: 200,
  body: reportPolicy(policy?.(), delegate),
});

/**
 * Shows what access rules and signatures decide for a given client and image, without a request.
 */
export const tryAccess: Answering = async ({ policy, body }) => ({
  status: 200,
  body: tryPolicy(policy?.(), trialOf(jsonObject(body))),
});

/** Reads a trial; throws `malformed`. */
const trialOf = (given: Readonly<Record<string, unknown>>): TrialRequest => {
  const text = (name: string): string => {
    const value = given[name] ?? "";
    if (typeof value === "string" && value.length <= longest) return value.trim();
    return fail("malformed", `${name}: expected a text of at most ${longest} characters`);
  };
  const identifier = text("identifier");
  if (identifier === "")
    fail("malformed", "identifier: expected the identifier of an image, got nothing");
  const { signed = false } = given;
  if (typeof signed !== "boolean") return fail("malformed", "signed: expected true or false");
  const address = text("address");
  if (address !== "" && isIP(withoutMapping(address)) === 0)
    fail("malformed", "address: expected an IPv4 or IPv6 address");
  const auth = text("auth");
  return {
    identifier,
    address,
    token: text("token"),
    header: { name: text("header"), value: text("headerValue") },
    signed,
    ...(auth === "" ? {} : { auth }),
  };
};

/** Maximum length of an identifier or header in characters. */
const longest = 8_000;
