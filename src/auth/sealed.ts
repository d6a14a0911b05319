import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** The purpose of a sealed text. One sealed for another purpose is rejected. */
export type Purpose = "session" | "token" | "listing" | "search";

/**
 * Encrypts small values with AES-256-GCM, so that clients can store them but neither read nor
 * change them.
 */
export interface Seal {
  /** Returns letters, digits, `-` and `_`. */
  seal(purpose: Purpose, value: unknown): string;
  /** Undefined where the text was not sealed for this purpose with one of the secrets. */
  open(purpose: Purpose, text: string): unknown;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** Browsers send no longer cookies. */
const maxCharacters = 4_096;

/** Seals with the first secret, and opens what any of them has sealed. */
export const createSeal = (secrets: readonly string[]): Seal => {
  const keysFor = (purpose: Purpose): readonly Buffer[] =>
    secrets.map((secret) =>
      Buffer.from(hkdfSync("sha256", secret, "", `vitrine auth ${purpose}`, 32)),
    );
  const keys = {
    session: keysFor("session"),
    token: keysFor("token"),
    listing: keysFor("listing"),
    search: keysFor("search"),
  };
  return {
    seal(purpose, value) {
      const [key = Buffer.alloc(0)] = keys[purpose];
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce);
      const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
      return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64url");
    },
    open(purpose, text) {
      if (text.length > maxCharacters || !/^[\w-]+$/.test(text)) return undefined;
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length <= nonceBytes + tagBytes) return undefined;
      for (const key of keys[purpose]) {
        const opened = opening(key, bytes);
        if (opened !== undefined) return JSON.parse(opened);
      }
      return undefined;
    },
  };
};

const opening = (key: Buffer, bytes: Buffer): string | undefined => {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    // Sealed with another key, or modified.
    return undefined;
  }
};
