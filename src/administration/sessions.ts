import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Settings } from "../config/keys.ts";
import type { sessionKeys } from "./session-keys.ts";

/** A user's login session. */
export interface Session {
  /** The cookie: a random name of the session, and its signature. */
  readonly cookie: string;
  /** Proves that a changing request comes from the panel itself. */
  readonly token: string;
}

/** A session look-up. */
export interface SessionClaim {
  /** As the browser sends it. */
  readonly cookie: string;
  /** Of the current name and password: a session begun with others has ended. */
  readonly fingerprint: string;
}

/** The form of a cookie: 16 and 32 bytes in base64url. */
export const cookiePattern = /^[\w-]{22}\.[\w-]{43}$/;

/** Maximum number of sessions; the longest inactive one is dropped first. */
const maxSessions = 1_000;

interface StoredSession {
  readonly fingerprint: string;
  readonly begun: number;
  readonly seen: number;
}

/**
 * All sessions, kept in the process that outlives all others, together with the signing key, which
 * never leaves it. So a worker's crash ends no session, logging out works everywhere at once, and
 * no secret is stored in a file; the price is that a restart of the whole server ends them.
 */
export class Sessions {
  readonly #key = randomBytes(32);
  readonly #settings: () => Settings<typeof sessionKeys>;
  readonly #now: () => number;
  /** By name, in the order of last activity. */
  readonly #known = new Map<string, StoredSession>();

  /** `now` is a clock in milliseconds. */
  constructor(
    settings: () => Settings<typeof sessionKeys>,
    now: () => number = () => performance.now(),
  ) {
    this.#settings = settings;
    this.#now = now;
  }

  /** Begins a session for valid credentials, of which this is the fingerprint. */
  begin(fingerprint: string): Session {
    const name = randomBytes(16).toString("base64url");
    const now = this.#now();
    this.#known.set(name, { fingerprint, begun: now, seen: now });
    if (this.#known.size > maxSessions) this.#dropOldest();
    return this.#session(name);
  }

  /** The session of a cookie, renewed; undefined where there is none, or it has ended. */
  find({ cookie, fingerprint }: SessionClaim): Session | undefined {
    const name = this.#nameIn(cookie);
    const known = name === undefined ? undefined : this.#known.get(name);
    if (name === undefined || known === undefined) return undefined;
    this.#known.delete(name);
    const now = this.#now();
    const { "endpoint.admin.session_idle": idle, "endpoint.admin.session_length": length } =
      this.#settings();
    const isOver =
      known.fingerprint !== fingerprint ||
      now - known.seen >= idle * 1_000 ||
      now - known.begun >= length * 1_000;
    if (isOver) return undefined;
    this.#known.set(name, { ...known, seen: now });
    return this.#session(name);
  }

  /** Ends the session of a cookie, if there is one. */
  end(cookie: string): void {
    const name = this.#nameIn(cookie);
    if (name !== undefined) this.#known.delete(name);
  }

  #session(name: string): Session {
    return { cookie: `${name}.${this.#sign("cookie", name)}`, token: this.#sign("token", name) };
  }

  #nameIn(cookie: string): string | undefined {
    if (!cookiePattern.test(cookie)) return undefined;
    const [name = "", signature = ""] = cookie.split(".");
    const right = this.#sign("cookie", name);
    return timingSafeEqual(Buffer.from(signature), Buffer.from(right)) ? name : undefined;
  }

  #sign(what: "cookie" | "token", name: string): string {
    return createHmac("sha256", this.#key).update(`${what} ${name}`).digest("base64url");
  }

  #dropOldest(): void {
    const { value } = this.#known.keys().next();
    if (value !== undefined) this.#known.delete(value);
  }
}
