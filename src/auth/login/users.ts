import { ServerError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { LoginAttempts } from "./attempts.ts";
import { UsersFileCache } from "./kept-users.ts";
import { formPage, type LoginForm, noticePage } from "./page.ts";
import { Passwords } from "./passwords.ts";
import type { LoginProvider, LoginRequest, LoginStep, LoginTexts } from "./provider.ts";

/** The options of logins with a users file. */
export interface UsersLogin {
  /** A path. */
  readonly file: string;
  readonly texts: LoginTexts;
  readonly log: Logger;
  /** A clock in milliseconds, for delays after wrong passwords. */
  readonly now?: () => number;
}

/**
 * Identifies people by a form for name and password, and a users file (`parseUsers`), which is read
 * again when it has changed. Throws `UsersFileFault` where the file cannot be read or is invalid at
 * first; a later fault leaves the users as they were, and is logged. Pages: 200 form, 400 missing
 * fields, 403 wrong, 429 delayed after wrong ones, 503 too many at once.
 */
export const createUsersProvider = ({ file, texts, log, now }: UsersLogin): LoginProvider => {
  const parts: UsersParts = {
    users: new UsersFileCache(file, log),
    passwords: new Passwords(),
    attempts: new LoginAttempts(now),
    texts,
    log,
  };
  return {
    async step(request, action) {
      if (request.method === "GET") return formPage(200, { texts, action });
      const name = request.form?.get("name")?.trim() ?? "";
      const password = request.form?.get("password") ?? "";
      if (name !== "" && password !== "") return logIn({ name, password, action }, request, parts);
      return formPage(400, { texts, action, name, problem: "Enter your user name and password." });
    },
  };
};

interface UsersParts {
  readonly users: UsersFileCache;
  readonly passwords: Passwords;
  readonly attempts: LoginAttempts;
  readonly texts: LoginTexts;
  readonly log: Logger;
}

interface Given {
  readonly name: string;
  readonly password: string;
  readonly action: string;
}

const maxCharacters = { name: 255, password: 1_024 } as const;

const logIn = async (
  { name, password, action }: Given,
  { client, signal }: LoginRequest,
  { users, passwords, attempts, texts, log }: UsersParts,
): Promise<LoginStep> => {
  const shown: LoginForm = { texts, action, name: name.slice(0, maxCharacters.name) };
  const claim = { name, client };
  const heldBefore = attempts.heldFor(claim);
  if (heldBefore > 0) return heldPage(shown, heldBefore);
  const { byName, nobody } = await users.current();
  const user = byName.get(name);
  const isOfSize = password.length <= maxCharacters.password;
  let isRight: boolean;
  try {
    // For an unknown user, too, so that the response time reveals nothing.
    isRight = await passwords.compare(isOfSize ? password : "", user?.hash ?? nobody, signal);
  } catch (error) {
    if (!(error instanceof ServerError) || error.failure !== "busy") throw error;
    return noticePage({
      texts,
      status: 503,
      title: "The server is busy",
      message: error.message,
      again: action,
    });
  }
  isRight = isRight && isOfSize && user !== undefined;
  // Others from there may have been wrong meanwhile: then this attempt reveals nothing either.
  const held = attempts.admit(claim, isRight);
  if (held > 0) return heldPage(shown, held);
  if (user !== undefined && isRight)
    return { kind: "done", identity: { name, groups: user.groups } };
  // An unknown name may be a password in the wrong field.
  log.warn("Login failed: wrong name or password", {
    address: client,
    ...(user === undefined ? {} : { user: name }),
  });
  return formPage(403, { ...shown, problem: "The user name or the password is wrong." });
};

const heldPage = (shown: LoginForm, seconds: number): LoginStep =>
  formPage(429, {
    ...shown,
    problem: `There were too many wrong attempts. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
  });
