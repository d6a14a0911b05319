import type { Administration } from "../administration/administration.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { areRight, type Credentials } from "./basic.ts";
import { TooManyAttempts } from "./errors.ts";

/** Who wants in, and what the right credentials are. */
export interface Login {
  readonly given: Credentials | undefined;
  readonly right: Credentials;
  /** The client's address. */
  readonly address: string;
  /** What is to be got into, for the log. */
  readonly door: string;
}

/** What logging in needs of the server. */
export interface LoginParts {
  readonly administration: Pick<Administration, "admit">;
  readonly log: Logger;
}

/**
 * Lets in whoever has the right credentials. Throws `unauthenticated` for wrong ones, and
 * `TooManyAttempts` for any while their address is held for having guessed. Who sends none at all has not guessed.
 */
export const logIn = async (
  { given, right, address, door }: Login,
  { administration, log }: LoginParts,
): Promise<void> => {
  const isRight = areRight(given, right);
  if (given === undefined) return fail("unauthenticated", "A name and a password are needed here.");
  const held = await administration.admit({ address, right: isRight });
  if (held > 0) throw new TooManyAttempts(held);
  if (isRight) return;
  log.warn(`Somebody was not let in: wrong name or password for ${door}`, { address });
  fail("unauthenticated", "The name or the password is wrong.");
};
