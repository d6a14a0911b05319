import { createHash, timingSafeEqual } from "node:crypto";

/** Takes a list of secrets apart, which are separated by commas or spaces. */
export const listed = (text: string): readonly string[] =>
  text.split(/[\s,]+/).filter((item) => item !== "");

/** The fewest characters of a token or a key that is not a hash: shorter ones can be guessed. */
export const fewestCharacters = 16;

export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether a digest is one of several of the same length; takes the same time whichever it is. */
export const isAmong = (digest: Buffer, digests: readonly Buffer[]): boolean => {
  let found = false;
  for (const one of digests) found = timingSafeEqual(digest, one) || found;
  return found;
};
