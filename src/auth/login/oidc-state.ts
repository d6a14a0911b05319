import { EncryptJWT, jwtDecrypt } from "jose";
import type { LoginRequest } from "./provider.ts";

/** The state of a login between its beginning and its end. */
export interface PendingLogin {
  /** The URL of the access service where it began. */
  readonly action: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

const lifetimeSeconds = 600;
/**
 * Maximum length of a stored URL; a longer one is stored without its query. Browsers keep cookies
 * of up to 4096 bytes.
 */
const maxCharacters = 1_500;

/** Stores pending logins in encrypted cookies, one for each browser and access service. */
export class BegunLogins {
  readonly #key: Uint8Array;
  readonly #now: () => number;

  /** `key` has 32 bytes; `now` is in milliseconds since 1970. */
  constructor(key: Uint8Array, now: () => number) {
    this.#key = key;
    this.#now = now;
  }

  /** The Set-Cookie value that stores a login. */
  async seal(login: PendingLogin, redirectUri: string, secure: boolean): Promise<string> {
    const { action } = login;
    const kept = action.length > maxCharacters ? (action.split("?")[0] ?? "") : action;
    const begunAt = Math.floor(this.#now() / 1_000);
    const token = await new EncryptJWT({ ...login, action: kept })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setAudience(redirectUri)
      .setExpirationTime(begunAt + lifetimeSeconds)
      .encrypt(this.#key);
    return cookie(token, { redirectUri, secure, seconds: lifetimeSeconds });
  }

  /**
   * The login in a request's cookie; undefined where there is none, or it has expired or is of
   * another service.
   */
  async open(
    { cookies, secure }: LoginRequest,
    redirectUri: string,
  ): Promise<PendingLogin | undefined> {
    const token = cookies[resolveName(secure)];
    if (token === undefined) return undefined;
    try {
      const { payload } = await jwtDecrypt<PendingLogin>(token, this.#key, {
        audience: redirectUri,
        currentDate: new Date(this.#now()),
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
        requiredClaims: ["exp", "action", "state", "nonce", "verifier"],
      });
      return payload;
    } catch {
      // Whatever is wrong with it, the login cannot continue.
      return undefined;
    }
  }

  /** The Set-Cookie value that removes a login. */
  clear(redirectUri: string, secure: boolean): string {
    return cookie("", { redirectUri, secure, seconds: 0 });
  }
}

const resolveName = (secure: boolean): string => `${secure ? "__Secure-" : ""}vitrine-oidc`;

interface Keeping {
  readonly redirectUri: string;
  readonly secure: boolean;
  readonly seconds: number;
}

/** `Lax`, since the issuer's redirect back comes from another site. */
const cookie = (value: string, { redirectUri, secure, seconds }: Keeping): string =>
  [
    `${resolveName(secure)}=${value}`,
    `Path=${new URL(redirectUri).pathname}`,
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(secure ? ["Secure"] : []),
  ].join("; ");
