import { randomBytes } from "node:crypto";
import type { Identity } from "./login/identity.ts";
import { createSeal } from "./sealed.ts";

/** A user logged in at a service. */
export interface Session extends Identity {
  /** Random; shared by the session and its tokens. */
  readonly id: string;
  /** Name of the service. */
  readonly service: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** The result of checking a cookie or token. */
export type SessionLookup = Session | "invalid" | "expired";

/**
 * Sessions and access tokens of all services. Neither can be derived from the other, nor used as
 * the other.
 */
export interface Sessions {
  /** Begins a session; returns the value of its cookie. */
  begin(service: string, identity: Identity, seconds: number): string;
  /** The session of a cookie. */
  find(cookie: string): SessionLookup;
  /** An access token of a session, valid for so many seconds and no longer than the session. */
  token(session: Session, seconds: number): { readonly token: string; readonly seconds: number };
  /** The session of an access token. */
  standsFor(token: string): SessionLookup;
  /** Ends a session: this process no longer accepts its cookie and tokens. */
  end(session: Session): void;
}

/**
 * Maximum number of sessions remembered as ended before they expired. Further ones drop the oldest.
 */
const maxEnded = 100_000;

/**
 * Stores only ended sessions: cookies and tokens contain everything else. `now` is in milliseconds
 * since 1970.
 */
export const createSessions = (
  secrets: readonly string[],
  now: () => number = () => Date.now(),
): Sessions => {
  const seal = createSeal(secrets);
  const ended = new Set<string>();
  const seconds = (): number => Math.floor(now() / 1_000);
  const checked = (value: unknown): SessionLookup => {
    if (!isSession(value)) return "invalid";
    if (ended.has(value.id)) return "invalid";
    return value.expires <= seconds() ? "expired" : value;
  };
  return {
    begin: (service, { name, groups }, lifetime) =>
      seal.seal("session", {
        id: randomBytes(16).toString("base64url"),
        service,
        name,
        groups,
        expires: seconds() + lifetime,
      } satisfies Session),
    find: (cookie) => checked(seal.open("session", cookie)),
    token(session, lifetime) {
      const left = Math.min(lifetime, session.expires - seconds());
      const token = seal.seal("token", { ...session, expires: seconds() + left });
      return { token, seconds: left };
    },
    standsFor: (token) => checked(seal.open("token", token)),
    end({ id }) {
      ended.add(id);
      if (ended.size <= maxEnded) return;
      const [oldest = id] = ended;
      ended.delete(oldest);
    },
  };
};

const isSession = (value: unknown): value is Session => {
  if (typeof value !== "object" || value === null) return false;
  const { id, service, name, groups, expires } = value as Readonly<Record<string, unknown>>;
  return (
    typeof id === "string" &&
    typeof service === "string" &&
    typeof name === "string" &&
    Array.isArray(groups) &&
    groups.every((group) => typeof group === "string") &&
    typeof expires === "number"
  );
};
