import type { Logger } from "../../core/log.ts";
import type { ClaimNames } from "./oidc-claims.ts";
import type { LoginTexts } from "./provider.ts";

/** A client as registered with the issuer. */
export interface OidcClient {
  /**
   * The issuer's URL, below which `.well-known/openid-configuration` is; http on this machine only.
   */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
}

/** The options of logins with OpenID Connect. */
export interface OidcLogin extends OidcClient, ClaimNames {
  /** Such as `openid profile`; `openid` is added where it is missing. */
  readonly scopes: string;
  /** 32 bytes, the same in each serving process. */
  readonly cookieKey: Uint8Array;
  readonly texts: LoginTexts;
  readonly log: Logger;
  /** Milliseconds since 1970, for the age of cookies. */
  readonly now?: () => number;
}
