import type { Administration } from "../../administration/administration.ts";
import { fail } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { areValid, type Credentials } from "./basic.ts";
import { TooManyAttempts } from "./errors.ts";
import type { PublicAddress } from "./urls.ts";

/** The credentials of a client and the valid ones. */
export interface Login {
  readonly given: Credentials | undefined;
  readonly right: Credentials;
  readonly address: Pick<PublicAddress, "client" | "proxy">;
  /** What the login is for, for the log. */
  readonly door: string;
}

/** The dependencies of a login. */
export interface LoginParts {
  readonly administration: Pick<Administration, "admit">;
  readonly log: Logger;
}

/**
 * Checks credentials. Throws `unauthenticated` for wrong ones, and `TooManyAttempts` for any that
 * are ignored after too many wrong ones. A request without credentials is no attempt.
 */
export const logIn = async (
  { given, right, address, door }: Login,
  { administration, log }: LoginParts,
): Promise<void> => {
  const isRight = areValid(given, right);
  if (given === undefined)
    return fail("unauthenticated", "A user name and a password are required.");
  const told = {
    address: address.client,
    ...(address.proxy === undefined ? {} : { proxy: address.proxy }),
  };
  const held = await administration.admit({ ...told, right: isRight });
  if (held > 0) throw new TooManyAttempts(held);
  if (isRight) return;
  log.warn(`Login failed: wrong name or password for ${door}`, told);
  fail("unauthenticated", "The user name or the password is wrong.");
};
