import { createHash, timingSafeEqual } from "node:crypto";

/** Splits a list of secrets at commas or spaces. */
export const listed = (text: string): readonly string[] =>
  text.split(/[\s,]+/).filter((item) => item !== "");

/**
 * Minimum length in characters of a token or key that is not a hash: shorter ones can be guessed.
 */
export const fewestCharacters = 16;

export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether a digest is one of several of the same length, in constant time. */
export const includesDigest = (digest: Buffer, digests: readonly Buffer[]): boolean => {
  let found = false;
  for (const one of digests) found = timingSafeEqual(digest, one) || found;
  return found;
};
