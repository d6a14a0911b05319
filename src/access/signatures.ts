import { createHmac } from "node:crypto";
import type { Fault } from "../config/keys.ts";
import type { Snapshot } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { type Pattern, readPattern } from "../sources/pattern.ts";
import { accessKeys } from "./keys.ts";
import { fewestCharacters, includesDigest, listed } from "./secrets.ts";

/** A key for signing URLs. */
export interface SigningKey {
  readonly id: string;
  readonly secret: string;
}

/** How URLs are signed, and which must be. */
export interface Signatures {
  /** The first one signs; all of them verify. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  readonly required: "off" | "all" | { readonly text: string; readonly pattern: Pattern };
  /** Seconds. */
  readonly skew: number;
}

/** What a signature covers: all URLs of an image, or one path with its query. */
export type SignedSubject =
  | { readonly kind: "image"; readonly identifier: string }
  | { readonly kind: "path"; readonly target: string };

/** A signature in a URL. */
export interface Signature {
  readonly subject: SignedSubject;
  /** Seconds since 1970. */
  readonly expires: number;
  /** The id of its key. */
  readonly key: string;
  /** The HMAC in base64url. */
  readonly digest: string;
}

/** The result of checking a signature. */
export type Validity = "valid" | "expired" | "wrong";

/** Signs with the first key. */
export const sign = (
  { keys: [key] }: Pick<Signatures, "keys">,
  subject: SignedSubject,
  expires: number,
): Signature => ({
  subject,
  expires,
  key: key.id,
  digest: digestOf(key, subject, expires).toString("base64url"),
});

/** Checks a signature at a time, in seconds since 1970. */
export const verify = (
  { keys, skew }: Signatures,
  { subject, expires, key: id, digest }: Signature,
  now: number,
): Validity => {
  const given = Buffer.from(digest, "base64url");
  const expected = keys
    .filter((key) => key.id === id)
    .map((key) => digestOf(key, subject, expires));
  // Only one spelling: base64 has several for some last characters.
  if (given.length !== digestBytes || given.toString("base64url") !== digest) return "wrong";
  if (!includesDigest(given, expected)) return "wrong";
  return now <= expires + skew ? "valid" : "expired";
};

const digestBytes = 32;

/**
 * The signed text begins with its kind, so that a signature of one kind is invalid for the other.
 */
const digestOf = ({ secret }: SigningKey, subject: SignedSubject, expires: number): Buffer =>
  createHmac("sha256", secret)
    .update(
      subject.kind === "image"
        ? `image\n${expires}\n${subject.identifier}`
        : `path\n${expires}\n${subject.target}`,
    )
    .digest();

/** Parses how URLs are signed and reports faults; undefined where they are not. */
export const readSignatures = (
  values: Snapshot,
): { readonly signatures: Signatures | undefined; readonly faults: readonly Fault[] } => {
  const faults: Fault[] = [];
  const fault = (key: keyof typeof accessKeys, message: string): undefined => {
    faults.push({ key, message: `${key}: ${message}` });
  };
  const keys = readKeys(textOf(values, "access.signatures.keys"), (message) =>
    fault("access.signatures.keys", message),
  );
  const written = textOf(values, "access.signatures.required");
  const required = readRequired(written, (message) => fault("access.signatures.required", message));
  const [first, ...others] = keys;
  if (first === undefined && written !== "off" && faults.length === 0)
    fault("access.signatures.required", "expected off, since access.signatures.keys has no key.");
  const skew = values["access.signatures.clock_skew"];
  return {
    faults,
    signatures:
      first && required
        ? {
            keys: [first, ...others],
            required,
            skew:
              typeof skew === "number" ? skew : accessKeys["access.signatures.clock_skew"].default,
          }
        : undefined,
  };
};

const textOf = (values: Snapshot, key: keyof typeof accessKeys): string =>
  String(values[key] ?? accessKeys[key].default);

const readKeys = (text: string, fault: (message: string) => undefined): readonly SigningKey[] => {
  const entries = listed(text);
  const keys = entries.flatMap((entry): readonly SigningKey[] => {
    const [, id = "", secret = ""] = /^([A-Za-z0-9_-]{1,32}):(.+)$/.exec(entry) ?? [];
    return secret.length >= fewestCharacters ? [{ id, secret }] : [];
  });
  if (keys.length < entries.length)
    fault(
      `expected id:secret, separated by commas or spaces, with an id of at most 32 letters, digits, - and _ and a secret of at least ${fewestCharacters} characters; ${entries.length - keys.length} of ${entries.length} are something else.`,
    );
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    fault("expected a different id for each key.");
  return keys;
};

const readRequired = (
  text: string,
  fault: (message: string) => undefined,
): Signatures["required"] | undefined => {
  if (text === "off" || text === "all") return text;
  try {
    return { text, pattern: readPattern(text) };
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return fault(`expected off, all or a pattern of identifiers: ${error.message}.`);
  }
};
