import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import type { httpKeys } from "./keys.ts";

/**
 * Reads the key store that the https.* keys name: PKCS12 or PEM, detected from its content. Throws
 * `malformed` with a message for the operator where it cannot be used.
 */
export const loadKeyStore = async (
  settings: Settings<typeof httpKeys>,
): Promise<SecureContextOptions> => {
  const path = settings["https.key_store_path"];
  if (path === "")
    return fail("malformed", "https.key_store_path: expected the path of a key store, got nothing");
  const bytes = await readFile(path).catch((error: unknown) =>
    fail("malformed", `https.key_store_path: the file ${path} cannot be read`, error),
  );
  if (isJavaKeyStore(bytes))
    return fail(
      "malformed",
      "https.key_store_path: expected PKCS12 or PEM, got a Java key store (JKS). " +
        "keytool -importkeystore -srckeystore FILE.jks -destkeystore FILE.p12 -deststoretype PKCS12 converts it",
    );
  const options: SecureContextOptions = bytes.includes("-----BEGIN ")
    ? { key: bytes, cert: bytes, passphrase: settings["https.key_password"] }
    : { pfx: bytes, passphrase: settings["https.key_store_password"] };
  try {
    createSecureContext(options);
  } catch (error) {
    if (isEncryptedOfOld(bytes))
      return fail(
        "malformed",
        "https.key_store_path: expected PKCS12 or PEM that can be read here, got PKCS12 encrypted with RC2 or RC4, which Node.js no longer reads. " +
          "openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem converts it; its PEM pass phrase is then https.key_password",
        error,
      );
    return fail(
      "malformed",
      `https.key_store_path: the key store cannot be opened; is its password right? (${error instanceof Error ? error.message : error})`,
      error,
    );
  }
  return options;
};

/**
 * Whether a PKCS12 file uses one of the old ciphers RC4 or RC2, by the object identifiers
 * 1.2.840.113549.1.12.1.1, .2, .5 and .6 (RFC 7292, appendix C).
 */
const isEncryptedOfOld = (bytes: Buffer): boolean =>
  [1, 2, 5, 6].some((cipher) =>
    bytes.includes(Buffer.from(`060a2a864886f70d010c010${cipher}`, "hex")),
  );

const isJavaKeyStore = (bytes: Buffer): boolean =>
  bytes.length >= 4 && [0xfeedfeed, 0xcececece].includes(bytes.readUInt32BE(0));
