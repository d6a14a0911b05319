import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import type { SecureContextOptions } from "node:tls";
import fastify, { type FastifyRequest } from "fastify";
import { fail } from "../core/errors.ts";
import { quoted } from "../core/identifier.ts";
import { registerAdmin } from "./admin/routes.ts";
import { registerHealth } from "./api/health.ts";
import { registerApi } from "./api/routes.ts";
import { probeRoute, registerAuth } from "./auth/routes.ts";
import { Connections } from "./connection/connections.ts";
import type { HttpServer } from "./connection/http-server.ts";
import { httpKeys } from "./connection/keys.ts";
import { answerUnreadable, createNodeServer } from "./connection/node-server.ts";
import { createEndpoints } from "./iiif/endpoints.ts";
import { registerLanding } from "./landing/routes.ts";
import { Replays } from "./permission/replays.ts";
import { registerPresentation } from "./presentation/routes.ts";
import { recordAccess, respondingOf } from "./request/access.ts";
import type { HttpDeps } from "./request/deps.ts";
import { MethodNotAllowed } from "./request/errors.ts";
import { type Exchange, exchanges } from "./request/exchange.ts";
import { failures } from "./request/failures.ts";
import { timingKeys } from "./request/keys.ts";
import { methodsAt } from "./request/methods.ts";
import { openings } from "./request/opening.ts";
import { parseTarget, type Target, targets } from "./request/target.ts";

/** Creates the HTTP server, not yet listening; with TLS where a key store is given. */
export const createServer = (deps: HttpDeps, keyStore?: SecureContextOptions): HttpServer => {
  const settings = deps.config.view(httpKeys);
  const timing = deps.config.view(timingKeys);
  const targetOf = targets();
  const replays = new Replays(deps);
  const open = exchanges(deps, targetOf);
  const begin = openings(deps);
  const endInFailure = failures(deps);
  const endpoints = createEndpoints(deps, { open, begin, timing, replays, endInFailure });
  const app = fastify({
    serverFactory: (handler) => {
      const route: RequestListener = (request, response) => {
        const url = request.url ?? "/";
        if (endpoints.includes(targetOf(url))) endpoints.answer(request, response, url);
        else handler(request, response);
      };
      const listener: RequestListener = (request, response) => {
        const isAnswered = replays.answer(request, response);
        if (isAnswered instanceof Promise)
          void isAnswered.then((is) => is || route(request, response));
        else if (!isAnswered) route(request, response);
      };
      const server = createNodeServer(listener, {
        requestSeconds: settings()["http.request_timeout"],
        keyStore,
      });
      const connections = deps.connections ?? new Connections();
      connections.watch(server, { secure: keyStore !== undefined });
      return server;
    },
    rewriteUrl: (request) => routeFor(targetOf(request.url ?? "/")),
    genReqId: () => randomUUID(),
    clientErrorHandler: answerUnreadable,
    bodyLimit: maxBody,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    logger: false,
  });
  app.decorateRequest("exchange", null);
  const exchangeOf = (request: FastifyRequest): Exchange =>
    request.getDecorator<Exchange | null>("exchange") ??
    fail("internal", "A request reached its route without an exchange");
  const allowedAt = methodsAt(app);

  app.addHook("onRequest", (request, reply, next) => {
    // Injected requests, which no listener saw.
    if (endpoints.includes(targetOf(request.originalUrl))) {
      reply.hijack();
      endpoints.answer(request.raw, reply.raw, request.originalUrl);
      return;
    }
    const exchange = open(request, reply);
    request.setDecorator("exchange", exchange);
    recordAccess(respondingOf(exchange), deps, timing);
    const opening = begin(exchange);
    if (opening === "continue") next();
    else if (opening !== "answered") next(opening);
  });
  // Only the API's endpoints take bodies.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.setErrorHandler((error, request) => endInFailure(exchangeOf(request), error));
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedAt(request.url);
    if (allowed === undefined)
      return fail("missing", `Nothing is here: ${quoted(parseTarget(request.originalUrl).path)}`);
    if (request.method !== "OPTIONS") throw new MethodNotAllowed(request.method, allowed);
    return reply.code(204).header("allow", allowed.join(", ")).send();
  });

  registerHealth(app, { deps, exchangeOf });
  const { management } = deps;
  if (management) {
    registerApi(app, { deps: { ...deps, management }, exchangeOf });
    registerAdmin(app, { deps: { ...deps, management }, exchangeOf, endInFailure });
  }
  registerLanding(app, { deps, exchangeOf });
  registerPresentation(app, { deps, exchangeOf, replays });
  registerAuth(app, { deps, exchangeOf });
  return app;
};

/** Maximum length of a request body in bytes. */
const maxBody = 1_024;

/** The path that Fastify routes by: never one that it might reject or normalise. */
const routeFor = ({ path }: Target): string => {
  if (path.startsWith(`${probeRoute}/`)) return probeRoute;
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll("%", "%25");
  }
};
