import { readFile } from "node:fs/promises";
import type { SecureContextOptions } from "node:tls";
import { createSecureContext } from "node:tls";
import type { Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import type { httpKeys } from "./keys.ts";

/**
 * Reads the key store that the https.* keys name: PKCS12 or PEM, told apart by content. Throws
 * `malformed`, in words for whoever wrote the configuration, where it cannot be used.
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
    return fail(
      "malformed",
      `https.key_store_path: the key store cannot be opened; is its password right? (${error instanceof Error ? error.message : error})`,
      error,
    );
  }
  return options;
};

const isJavaKeyStore = (bytes: Buffer): boolean =>
  bytes.length >= 4 && [0xfeedfeed, 0xcececece].includes(bytes.readUInt32BE(0));
