import { createHash } from "node:crypto";
import { LoginThrottle, networkOf } from "../../core/login-throttle.ts";

/** A login attempt: the claimed user and the address. */
interface Claim {
  readonly name: string;
  /** The client's address. */
  readonly client: string;
}

/**
 * Slows password guessing down, by user and by address: an address soon waits after each wrong
 * password for a user; all wrong ones for a user share one allowance, wherever they come from, and
 * so do all from an address, whichever users they are for. A person who has logged in from an
 * address before is not delayed by others.
 */
export class LoginAttempts {
  readonly #byUser: LoginThrottle;
  readonly #byClient: LoginThrottle;

  /** `now` is a clock in milliseconds. */
  constructor(now?: () => number) {
    this.#byUser = new LoginThrottle(now);
    this.#byClient = new LoginThrottle(now);
  }

  /** Seconds for which attempts are ignored; 0 where they count. */
  heldFor(claim: Claim): number {
    const { user, client } = keysOf(claim);
    return Math.max(
      this.#byUser.heldFor({ address: client, proxy: user }),
      this.#byClient.heldFor({ address: user, proxy: client }),
    );
  }

  /**
   * Records an attempt; returns the seconds for which attempts are ignored, including this one, or
   * 0 where it counts.
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

// Names are of any length; their hashes are not.
const keysOf = ({ name, client }: Claim): { readonly user: string; readonly client: string } => ({
  user: createHash("sha256").update(name).digest("hex"),
  client: networkOf(client),
});
