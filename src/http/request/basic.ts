import { createHash, timingSafeEqual } from "node:crypto";

/** A name and its password. */
export interface Credentials {
  readonly username: string;
  readonly secret: string;
}

/**
 * Parses an Authorization header (RFC 7617): the scheme in any case, Base64 of UTF-8 text, the name
 * up to the first colon and the password after it. Undefined for anything else.
 */
export const basicCredentials = (header: string | undefined): Credentials | undefined => {
  const [, token] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? "") ?? [];
  if (token === undefined || token.length > longestToken) return undefined;
  const bytes = Buffer.from(token, "base64");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const colon = text.indexOf(":");
  if (colon === -1) return undefined;
  return { username: text.slice(0, colon), secret: text.slice(colon + 1) };
};

const longestToken = 4_096;

/** Whether credentials are valid, in constant time; empty ones never are. */
export const areValid = (given: Credentials | undefined, right: Credentials): boolean => {
  const name = isSame(given?.username ?? "", right.username);
  const secret = isSame(given?.secret ?? "", right.secret);
  const exist = right.username !== "" && right.secret !== "" && given !== undefined;
  return name && secret && exist;
};

// Texts of different lengths cannot be compared in constant time; their digests can.
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
