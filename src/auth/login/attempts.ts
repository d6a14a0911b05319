import { createHash } from "node:crypto";
import { LoginThrottle, networkOf } from "../../core/login-throttle.ts";

/** Who wants in, as they say, and from where. */
interface Claim {
  readonly name: string;
  /** The client's address. */
  readonly client: string;
}

/**
 * Slows the guessing of passwords down, by user and by address: somebody from one address soon
 * waits after each wrong password for a user; all wrong ones for a user draw on one allowance,
 * wherever they come from, and so do all from an address, whichever users they are for. A person
 * who has logged in from an address before is not held up by others.
 */
export class LoginAttempts {
  readonly #byUser: LoginThrottle;
  readonly #byClient: LoginThrottle;

  /** `now` is a clock in milliseconds. */
  constructor(now?: () => number) {
    this.#byUser = new LoginThrottle(now);
    this.#byClient = new LoginThrottle(now);
  }

  /** The seconds for which no attempt counts; 0 where one does. */
  heldFor(claim: Claim): number {
    const { user, client } = keysOf(claim);
    return Math.max(
      this.#byUser.heldFor({ address: client, proxy: user }),
      this.#byClient.heldFor({ address: user, proxy: client }),
    );
  }

  /**
   * Takes note of an attempt; the seconds for which none counts, this one included, or 0 where it
   * does.
   */
  admit(claim: Claim, right: boolean): number {
    const held = this.heldFor(claim);
    if (held > 0) return held;
    const { user, client } = keysOf(claim);
    this.#byUser.admit({ address: client, proxy: user, right });
    this.#byClient.admit({ address: user, proxy: client, right });
    return 0;
  }
}

// Names are of any length and kind; what is kept of them is not.
const keysOf = ({ name, client }: Claim): { readonly user: string; readonly client: string } => ({
  user: createHash("sha256").update(name).digest("hex"),
  client: networkOf(client),
});
