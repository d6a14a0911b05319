import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Auth } from "../../auth/auth.ts";
import type { AuthService } from "../../auth/services.ts";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import { identifierReadingKeys, identifierSyntax, isTransformed } from "../../iiif/identifiers.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { preflightHeaders } from "../request/headers.ts";
import { answerAccess, answerLogout } from "./access.ts";
import { answerProbe } from "./probe.ts";
import { answerToken } from "./token.ts";

/** The dependencies of the auth routes. */
export interface AuthParts {
  readonly deps: HttpDeps;
  readonly exchangeOf: (request: FastifyRequest) => Exchange;
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Maximum length of a login form in bytes. */
const maxFormBytes = 8_192;

/** One Fastify path for all probes: they split their targets themselves. */
export const probeRoute = "/auth/probe";

/** Serves `/auth/…` while auth services are configured; otherwise 404. */
export const registerAuth = (app: FastifyInstance, { deps, exchangeOf }: AuthParts): void => {
  const { policy } = deps;
  const identifiers = deps.config.view(identifierReadingKeys);
  const authFor = (exchange: Exchange): Auth =>
    deps.auth?.() ?? fail("missing", `Nothing is here: ${quoted(exchange.target.path)}`);
  const warned = { once: false };
  const warnOfHttp = ({ address }: Exchange): void => {
    const { protocol, hostname } = new URL(address.base);
    if (warned.once || protocol === "https:" || loopback.test(hostname)) return;
    warned.once = true;
    deps.log.warn(
      "Login over plain HTTP: passwords and cookies can be read in transit, and viewers on other sites get no cookies. Use HTTPS, or set base_uri behind a proxy that terminates it.",
      { base: address.base },
    );
  };
  const serviceFor = (exchange: Exchange, auth: Auth): AuthService => {
    const [, , name = ""] = exchange.target.segments;
    return auth.services.get(name) ?? fail("missing", `There is no auth service ${quoted(name)}.`);
  };

  app.register((room, _options, done) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: maxFormBytes },
      (_request, body, parsed) => parsed(null, new URLSearchParams(String(body))),
    );
    const access = async (request: FastifyRequest, reply: FastifyReply) => {
      const exchange = exchangeOf(request);
      const auth = authFor(exchange);
      warnOfHttp(exchange);
      const form = request.body instanceof URLSearchParams ? { form: request.body } : {};
      await answerAccess(exchange, serviceFor(exchange, auth), { auth, policy, ...form });
      return reply;
    };
    room.get("/auth/access/:service", access);
    room.get("/auth/access/:service/callback", access);
    room.post("/auth/access/:service", access);
    room.get("/auth/token/:service", async (request, reply) => {
      const exchange = exchangeOf(request);
      const auth = authFor(exchange);
      answerToken(exchange, serviceFor(exchange, auth), { auth, policy });
      return reply;
    });
    room.get("/auth/logout/:service", async (request, reply) => {
      const exchange = exchangeOf(request);
      const auth = authFor(exchange);
      answerLogout(exchange, serviceFor(exchange, auth), auth);
      return reply;
    });
    done();
  });

  app.options(probeRoute, (request, reply) => {
    authFor(exchangeOf(request));
    return reply
      .code(204)
      .headers({
        allow: "GET, HEAD, OPTIONS",
        "access-control-allow-origin": "*",
        ...preflightHeaders(["GET", "HEAD", "OPTIONS"]),
      })
      .send();
  });
  app.get(probeRoute, async (request, reply) => {
    const exchange = exchangeOf(request);
    const currentAuth = authFor(exchange);
    const [, , version = "", segment = "", ...rest] = exchange.target.segments;
    if (!/^[23]$/.test(version) || segment === "" || rest.length > 0)
      return fail(
        "missing",
        `path: expected ${probeRoute}/3/{identifier}, got ${quoted(exchange.target.path)}`,
      );
    await answerProbe(
      exchange,
      { version: Number(version), segment },
      {
        ...deps,
        currentAuth,
        identifierSyntax: () => identifierSyntax(identifiers()),
        isTransformed: () => isTransformed(identifiers()),
      },
    );
    return reply;
  });
};
