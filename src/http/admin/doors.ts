import { createHash, timingSafeEqual } from "node:crypto";
import type { Administration } from "../../administration/administration.ts";
import type { Session } from "../../administration/sessions.ts";
import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import type { adminKeys } from "../api/keys.ts";
import { basicCredentials, type Credentials } from "../request/basic.ts";
import type { Exchange } from "../request/exchange.ts";
import { type LoginParts, logIn } from "../request/login.ts";
import { reads } from "../request/methods.ts";
import { refuseOtherSites } from "../request/origin.ts";
import { cookieIn } from "./cookie.ts";

/** The dependencies of authentication. */
export interface DoorParts extends LoginParts {
  readonly administration: Pick<
    Administration,
    "admit" | "beginSession" | "session" | "endSession"
  >;
  readonly settings: () => Settings<typeof adminKeys>;
}

/** An authenticated client. */
export interface Visitor {
  readonly username: string;
  /**
   * What a request that changes something has to send; absent with Basic credentials, which come
   * with each request.
   */
  readonly session?: Session;
}

/** The ways to authenticate at the control panel. */
export interface Doors {
  /** Authenticates by the session cookie, else by Basic credentials. */
  bySession(exchange: Exchange): Promise<Visitor>;
  /** Authenticates by Basic credentials. */
  byCredentials(exchange: Exchange): Promise<Visitor>;
  /** Begins a session for valid credentials and ends the client's previous one. */
  begin(exchange: Exchange, given: Credentials): Promise<Visitor & { readonly session: Session }>;
  /** Ends the client's session, if it has one and the request may end it. */
  end(exchange: Exchange): Promise<void>;
}

/** The header that proves that the page made the request. */
const tokenHeader = "x-vitrine-token";

const door = "the control panel";

export const createDoors = ({ settings, administration, log }: DoorParts): Doors => {
  const right = (): Credentials => ({
    username: settings()["endpoint.admin.username"],
    secret: settings()["endpoint.admin.secret"],
  });

  const sessionOf = async ({ request, address }: Exchange): Promise<Session | undefined> => {
    const cookie = cookieIn(request.headers.cookie, address.base);
    const { username, secret } = right();
    if (cookie === undefined || username === "" || secret === "") return undefined;
    return administration.session({ cookie, fingerprint: fingerprintOf({ username, secret }) });
  };

  const prove = async (exchange: Exchange, given: Credentials | undefined): Promise<Visitor> => {
    const { username, secret } = right();
    if (given !== undefined && (username === "" || secret === ""))
      log.warn(
        "Logins to the control panel are off: endpoint.admin.username or endpoint.admin.secret is blank.",
      );
    await logIn(
      { given, right: { username, secret }, address: exchange.address, door },
      { administration, log },
    );
    return { username };
  };

  const byCredentials = (exchange: Exchange): Promise<Visitor> => {
    refuseOtherSites(exchange);
    return prove(exchange, basicCredentials(exchange.request.headers.authorization));
  };

  return {
    byCredentials: async (exchange) => byCredentials(exchange),

    async bySession(exchange) {
      refuseOtherSites(exchange);
      const session = await sessionOf(exchange);
      if (session === undefined) return byCredentials(exchange);
      if (!reads(exchange.request.method)) requireToken(exchange, session);
      return { username: right().username, session };
    },

    async begin(exchange, given) {
      refuseOtherSites(exchange);
      const { username } = await prove(exchange, given);
      const { request, address } = exchange;
      const before = cookieIn(request.headers.cookie, address.base);
      if (before !== undefined) await administration.endSession(before);
      const session = await administration.beginSession(fingerprintOf(right()));
      log.info("Login to the control panel", { address: address.client });
      return { username, session };
    },

    async end(exchange) {
      refuseOtherSites(exchange);
      const session = await sessionOf(exchange);
      if (session === undefined) return;
      requireToken(exchange, session);
      await administration.endSession(session.cookie);
      log.info("Logout from the control panel", { address: exchange.address.client });
    },
  };
};

const requireToken = ({ request }: Exchange, { token }: Session): void => {
  const given = Buffer.from(String(request.headers[tokenHeader] ?? ""));
  const right = Buffer.from(token);
  if (given.length === right.length && timingSafeEqual(given, right)) return;
  fail(
    "denied",
    "X-Vitrine-Token: expected the token of the session with a request that changes something, got none or another.",
  );
};

/** JSON keeps the boundary between the two texts unambiguous. */
const fingerprintOf = ({ username, secret }: Credentials): string =>
  createHash("sha256")
    .update(JSON.stringify([username, secret]))
    .digest("base64url");
