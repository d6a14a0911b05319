import { Limiter } from "../../core/limiter.ts";

/** Compares passwords with bcrypt hashes, in libuv's threads, a few at a time. */
export class Passwords {
  // File reads use the same four threads, which must not all be taken.
  readonly #slots = new Limiter(
    () => ({ running: 2, waiting: 20 }),
    "Too many people are logging in. Try again in a moment.",
  );

  /**
   * Whether the password matches. Throws `busy` where too many comparisons are queued, and the
   * signal's reason before one begins.
   */
  async compare(password: string, hash: string, signal: AbortSignal): Promise<boolean> {
    const free = await this.#slots.take(signal);
    try {
      const { default: bcrypt } = await import("bcrypt");
      return await bcrypt.compare(password, hash);
    } finally {
      free();
    }
  }
}

/** A bcrypt hash in the form of Apache's `htpasswd -B`. */
export const hashOf = async (password: string, cost: number): Promise<string> => {
  const { default: bcrypt } = await import("bcrypt");
  const hash = await bcrypt.hash(password, cost);
  return `$2y$${hash.slice(4)}`;
};
