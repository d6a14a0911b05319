import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fail } from "../../core/errors.ts";
import { jsonObject } from "../api/json.ts";
import type { Credentials } from "../request/basic.ts";
import type { Exchange } from "../request/exchange.ts";
import { requireJson } from "../request/require-json.ts";
import { dropCookie, setCookie } from "./cookie.ts";
import type { Doors, Visitor } from "./doors.ts";
import { sendJson } from "./sending.ts";

/** The dependencies of login and logout. */
export interface PanelSessionParts {
  readonly doors: Doors;
  readonly exchangeOf: (request: FastifyRequest) => Exchange;
  readonly productVersion: string;
}

const url = "/admin/api/session";

/** Maximum length of a login request's body in bytes. */
const maxBody = 16_384;

/** A scheme for which browsers show no dialog: the page has its own form. */
export const ownChallenge = 'Session realm="Vitrine control panel"';

/** Serves login, logout and the name of the current user. */
export const registerSession = (
  room: FastifyInstance,
  { doors, exchangeOf, productVersion }: PanelSessionParts,
): void => {
  const tell = (reply: FastifyReply, { username, session }: Visitor): FastifyReply =>
    sendJson(reply.removeHeader("www-authenticate"), {
      status: 200,
      // Basic credentials need no token.
      body: { username, token: session?.token ?? "", version: productVersion },
    });

  room.get(url, async (request, reply) => {
    reply.header("www-authenticate", ownChallenge);
    return tell(reply, await doors.bySession(exchangeOf(request)));
  });

  room.post(
    url,
    { bodyLimit: maxBody, onRequest: async (request) => requireJson(request) },
    async (request, reply) => {
      reply.header("www-authenticate", ownChallenge);
      const exchange = exchangeOf(request);
      const visitor = await doors.begin(exchange, credentialsIn(request.body));
      const { cookie } = visitor.session;
      return tell(reply.header("set-cookie", setCookie(cookie, exchange.address.base)), visitor);
    },
  );

  room.delete(url, async (request, reply) => {
    const exchange = exchangeOf(request);
    await doors.end(exchange);
    reply.header("set-cookie", dropCookie(exchange.address.base));
    return sendJson(reply, { status: 204 });
  });
};

const credentialsIn = (body: unknown): Credentials => {
  const { username, secret } = jsonObject(body instanceof Uint8Array ? body : new Uint8Array());
  if (typeof username !== "string" || typeof secret !== "string")
    return fail("malformed", "body: expected username and secret, two texts");
  return { username, secret };
};
