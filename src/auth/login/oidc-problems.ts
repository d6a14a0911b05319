import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";

/** Problems of a login with OpenID Connect. */
type LoginProblemKind = "expired" | "declined" | "nameless" | "failed" | "unreachable";

/** A problem; the message is for the log only. */
export class LoginProblem extends Error {
  override readonly name = "LoginProblem";
  readonly kind: LoginProblemKind;
  constructor(kind: LoginProblemKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A problem as shown to the person who logs in, and its log level. */
interface ProblemPage {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly level: "info" | "error";
}

/** The problem of a login error; `failed` for an unknown one. */
export const problemOf = (error: unknown): ProblemPage => shown[kindOf(error)];

const kindOf = (error: unknown): LoginProblemKind => {
  if (error instanceof LoginProblem) return error.kind;
  if (error instanceof AuthorizationResponseError)
    return error.error === "access_denied" ? "declined" : "failed";
  if (error instanceof ResponseBodyError)
    return error.error === "invalid_grant" ? "expired" : statusKind(error.status);
  if (error instanceof WWWAuthenticateChallengeError) return statusKind(error.status);
  if (isOfNetwork(error)) return "unreachable";
  return "failed";
};

const statusKind = (status: number): LoginProblemKind => (status >= 500 ? "unreachable" : "failed");

/** Whether the issuer sent no response, or one that is not OpenID Connect. */
const isOfNetwork = (error: unknown): boolean => {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at.name === "TimeoutError" || at.name === "AbortError") return true;
    if (at instanceof TypeError && at.message === "fetch failed") return true;
    if ("code" in at && at.code === "OAUTH_TIMEOUT") return true;
    if (at instanceof ClientError && at.code === "OAUTH_RESPONSE_IS_NOT_CONFORM")
      return at.cause instanceof Response && at.cause.status >= 500;
  }
  return false;
};

const shown: Readonly<Record<LoginProblemKind, ProblemPage>> = {
  expired: {
    status: 400,
    title: "The login has expired",
    message:
      "This login was begun too long ago, was used already, or was begun in another browser. Try again, and allow cookies for this site.",
    level: "info",
  },
  declined: {
    status: 403,
    title: "You are not logged in",
    message: "The login was cancelled, or your account may not be used here.",
    level: "info",
  },
  nameless: {
    status: 403,
    title: "Your name is missing",
    message:
      "You have logged in, but the login service did not tell this server your name. Please report this to the people who run this server.",
    level: "error",
  },
  failed: {
    status: 502,
    title: "The login failed",
    message:
      "The login service did not answer as expected. Try again; if it fails again, please report this to the people who run this server.",
    level: "error",
  },
  unreachable: {
    status: 503,
    title: "The login service does not answer",
    message: "You cannot log in at the moment. Try again in a few minutes.",
    level: "error",
  },
};
