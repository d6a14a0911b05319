import type { AnswerCheck } from "../core/delegate.ts";
import { isHash } from "./script/values.ts";

/** The decision of `pre_authorize` and `authorize`. */
export type Decision =
  | { readonly kind: "allow" }
  | {
      readonly kind: "deny";
      /** From 400 to 599. */
      readonly status: number;
      /** The value of `WWW-Authenticate`; required with status 401, invalid with any other. */
      readonly challenge?: string;
    }
  | {
      readonly kind: "redirect";
      /** From 300 to 399. */
      readonly status: number;
      /** An absolute URL of http or https, or an absolute path. */
      readonly location: string;
    }
  | {
      /** A redirect to the same image with a scale constraint. */
      readonly kind: "scale";
      readonly status: number;
      readonly numerator: number;
      readonly denominator: number;
    };

const allow: Decision = Object.freeze({ kind: "allow" });
const forbid: Decision = Object.freeze({ kind: "deny", status: 403 });

/** Results of `pre_authorize` and `authorize`. Contradictory keys are invalid. */
export const decision: AnswerCheck<Decision> = {
  expected:
    "true, false, or an object with status_code (200 to 599; with location, or scale_numerator and scale_denominator, from 300 to 399; with challenge where it is 401)",
  read(answer) {
    if (answer === true) return allow;
    if (answer === false) return forbid;
    return isHash(answer) ? decided(answer) : undefined;
  },
};

type AnswerHash = Readonly<Record<string, unknown>>;

const decided = (hash: AnswerHash): Decision | undefined => {
  const status = hash["status_code"];
  const location = given(hash["location"]);
  const challenge = given(hash["challenge"]);
  const numerator = given(hash["scale_numerator"]);
  const denominator = given(hash["scale_denominator"]);
  if (!isIntegerIn(status, 200, 599)) return undefined;
  const isScaled = numerator !== undefined || denominator !== undefined;
  const leads = isScaled || location !== undefined;
  if ((status >= 300 && status <= 399) !== leads) return undefined;
  if ((status === 401) !== (challenge !== undefined)) return undefined;
  if (leads) return isScaled ? scaled(hash, status) : redirected(location, status);
  if (status < 300) return allow;
  if (challenge === undefined) return { kind: "deny", status };
  return isLine(challenge) ? { kind: "deny", status, challenge } : undefined;
};

const redirected = (location: unknown, status: number): Decision | undefined =>
  isTarget(location) ? { kind: "redirect", status, location } : undefined;

const scaled = (hash: AnswerHash, status: number): Decision | undefined => {
  const { scale_numerator: numerator, scale_denominator: denominator } = hash;
  // With two targets it is unclear which is meant.
  if (given(hash["location"]) !== undefined) return undefined;
  if (!isIntegerIn(denominator, 2) || !isIntegerIn(numerator, 1, denominator - 1)) return undefined;
  return { kind: "scale", status, numerator, denominator };
};

/** Ruby's nil counts as absent. */
const given = (value: unknown): unknown => (value === null ? undefined : value);

const isIntegerIn = (value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;

/** A valid header value: not empty, without control characters and characters beyond Latin-1. */
const isLine = (value: unknown): value is string =>
  typeof value === "string" && /^[ -~\u00a0-\u00ff]+$/.test(value) && value.trim() !== "";

/** A second slash or a backslash at the beginning would name another host. */
const isTarget = (value: unknown): value is string =>
  typeof value === "string" &&
  /^[!-~]+$/.test(value) &&
  (/^\/(?![/\\])/.test(value) || isWebAddress(value));

export const isWebAddress = (value: unknown): value is string =>
  typeof value === "string" &&
  /^https?:\/\/[^/\\]/i.test(value) &&
  !hasControls(value) &&
  URL.canParse(value);

/** Whether a text has control characters, which no name may have. */
export const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

/** Keys that define an information document: clients could not use it if they were changed. */
const fixedKeys: ReadonlySet<string> = new Set([
  "id",
  "@id",
  "type",
  "@type",
  "protocol",
  "width",
  "height",
]);

/**
 * Results of `extra_iiif2_information_response_keys` and `extra_iiif3_…`: at most 64 KiB as JSON;
 * none is an empty object.
 */
export const informationKeys: AnswerCheck<Readonly<Record<string, unknown>>> = {
  expected: `an object of at most 64 KiB as JSON, without ${[...fixedKeys].join(", ")}, or null`,
  read(answer) {
    if (answer === null || answer === undefined) return {};
    if (!isHash(answer)) return undefined;
    const text = JSON.stringify(answer);
    if (text === undefined || Buffer.byteLength(text) > maxInformation) return undefined;
    // Later changes, or a toJSON method, would bypass the check.
    const copy: unknown = JSON.parse(text);
    return isHash(copy) && !Object.keys(copy).some((key) => fixedKeys.has(key)) ? copy : undefined;
  },
};

const maxInformation = 65_536;

/** Results of `source`. */
export const sourceName: AnswerCheck<string> = {
  expected: "the name of a source",
  read: (answer) => (typeof answer === "string" && answer.trim() !== "" ? answer : undefined),
};

/** Results that are a text, or null for none. An empty text is invalid. */
export const textOrNone: AnswerCheck<string | null> = {
  expected: "a text that is not empty, or null",
  read(answer) {
    if (answer === null || answer === undefined) return null;
    return typeof answer === "string" && answer !== "" ? answer : undefined;
  },
};

/** Results of `serialize_meta_identifier`. */
export const metaIdentifierText: AnswerCheck<string> = {
  expected: "a text that is not empty and can stand in a URL",
  read: (answer) =>
    typeof answer === "string" && answer !== "" && !/\p{Surrogate}|\0/u.test(answer)
      ? answer
      : undefined,
};

/** The parts of a meta-identifier. */
export interface MetaIdentifierParts {
  readonly identifier: string;
  /** From 1; null where none is named. */
  readonly page_number: number | null;
  /** Numerator and denominator, 1 ≤ n ≤ d; null where there is none. */
  readonly scale_constraint: readonly [number, number] | null;
}

/** Results of `deserialize_meta_identifier`: null where it names no image. */
export const metaIdentifier: AnswerCheck<MetaIdentifierParts | null> = {
  expected:
    "an object with identifier (a text), and perhaps page_number (from 1) and scale_constraint ([n, d] with 1 ≤ n ≤ d), or null",
  read(answer) {
    if (answer === null || answer === undefined) return null;
    if (!isHash(answer)) return undefined;
    const { identifier } = answer;
    const page = given(answer["page_number"]);
    const constraint = given(answer["scale_constraint"]);
    if (typeof identifier !== "string" || identifier === "") return undefined;
    if (page !== undefined && !isIntegerIn(page, 1)) return undefined;
    if (constraint === undefined)
      return { identifier, page_number: page ?? null, scale_constraint: null };
    if (!Array.isArray(constraint) || constraint.length !== 2) return undefined;
    const [n, d]: readonly unknown[] = constraint;
    if (!isIntegerIn(d, 1) || !isIntegerIn(n, 1, d)) return undefined;
    return { identifier, page_number: page ?? null, scale_constraint: [n, d] };
  },
};
