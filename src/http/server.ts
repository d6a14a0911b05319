import { randomUUID } from "node:crypto";
import { createServer as createPlainServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { fail } from "../core/errors.ts";
import { quoted } from "../core/identifier.ts";
import { versions } from "../iiif/versions.ts";
import { recordAccess } from "./access.ts";
import { registerAdmin } from "./admin/routes.ts";
import { registerApi } from "./api/routes.ts";
import type { HttpDeps } from "./deps.ts";
import { stopping } from "./ending.ts";
import { MethodNotAllowed } from "./errors.ts";
import { type Exchange, exchanges } from "./exchange.ts";
import { failures } from "./failures.ts";
import { errorCacheControl } from "./headers.ts";
import { registerHealth } from "./health.ts";
import { spareAnswers } from "./idle-connections.ts";
import { registerVersion } from "./iiif.ts";
import { httpKeys, timingKeys } from "./keys.ts";
import { registerLanding } from "./landing.ts";
import { methodsAt, reads } from "./methods.ts";
import { redirect, withoutTrailingSlash } from "./redirects.ts";
import { Replays } from "./replays.ts";
import { parseTarget, type Target, targets } from "./target.ts";

/** A server as Fastify knows it. */
export type HttpServer = FastifyInstance;

/** Makes the HTTP server, not yet listening; over TLS where a key store is given. */
export const createServer = (deps: HttpDeps, keyStore?: SecureContextOptions): HttpServer => {
  const settings = deps.config.view(httpKeys);
  const timing = deps.config.view(timingKeys);
  const targetOf = targets();
  const replays = new Replays(deps);
  const app = fastify({
    serverFactory: (handler) => {
      const listener: RequestListener = (request, response) => {
        if (!replays.answer(request, response)) handler(request, response);
      };
      return nodeServer(listener, settings()["http.request_timeout"], keyStore);
    },
    rewriteUrl: (request) => routeFor(targetOf(request.url ?? "/")),
    genReqId: () => randomUUID(),
    clientErrorHandler: answerUnreadable,
    bodyLimit: mostBody,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    logger: false,
  });
  const open = exchanges(deps, targetOf);
  const endInFailure = failures(deps);
  app.decorateRequest("exchange", null);
  const exchangeOf = (request: FastifyRequest): Exchange =>
    request.getDecorator<Exchange | null>("exchange") ??
    fail("internal", "A request reached its route without an exchange");
  const allowedAt = methodsAt(app);

  app.addHook("onRequest", (request, reply, next) => {
    const exchange = open(request, reply);
    request.setDecorator("exchange", exchange);
    recordAccess(exchange, deps, timing);
    reply.headers({
      "x-powered-by": `Vitrine/${deps.productVersion}`,
      "x-request-id": request.id,
      "x-content-type-options": "nosniff",
    });
    // Who is told not to be alive may be killed, and should not be while he finishes what he has begun.
    if (deps.ending?.begun) {
      reply.header("connection", "close");
      if (request.url !== "/livez") return next(stopping());
    }
    if (exchange.iiif) reply.header("access-control-allow-origin", "*");
    if (withoutTrailingSlash(exchange.target) !== undefined && reads(request.method))
      redirect(exchange, 301, withoutTrailingSlash(exchange.target) ?? "/");
    else next();
  });
  // No endpoint but those of the API takes a body, so none is read.
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
  const { office } = deps;
  if (office) {
    registerApi(app, { deps: { ...deps, office }, exchangeOf });
    registerAdmin(app, { deps: { ...deps, office }, exchangeOf, endInFailure });
  }
  registerLanding(app, { deps, exchangeOf });
  for (const version of versions)
    registerVersion(app, version, { deps, replays, exchangeOf, endInFailure });
  return app;
};

/** The most bytes of a request body. */
const mostBody = 1_024;

/** The most bytes of a request's headers, its target included. */
const mostHeaders = 32_768;

/** How long a client may be silent between requests and while it sends one, in milliseconds. */
const idleTime = 30_000;

const nodeServer = (
  handler: RequestListener,
  requestSeconds: number,
  keyStore: SecureContextOptions | undefined,
): Server => {
  const options = {
    maxHeaderSize: mostHeaders,
    headersTimeout: idleTime,
    requestTimeout: idleTime,
    keepAliveTimeout: idleTime,
  };
  const server =
    keyStore === undefined
      ? createPlainServer(options, handler)
      : createSecureServer({ ...options, ...keyStore }, handler);
  spareAnswers(server, { secure: keyStore !== undefined });
  // A connection on which nothing moves, while drawing may still be going on, is dropped after this.
  server.timeout = requestSeconds * 1000 + idleTime;
  return server;
};

/**
 * The path Fastify routes by. The image endpoints split and decode the target themselves, so all
 * of an endpoint's paths are one route, and Fastify never sees what it might refuse or normalise.
 */
const routeFor = ({ path, segments }: Target): string => {
  if (segments[0] === "iiif" && versions.some((version) => String(version.number) === segments[1]))
    return `/iiif/${segments[1]}`;
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll("%", "%25");
  }
};

// What never became a request: bytes that are not HTTP, headers too long or too slow.
const answerUnreadable = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const line =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  socket.end(
    `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Access-Control-Allow-Origin: *\r\nCache-Control: ${errorCacheControl}\r\nContent-Length: ${line.length + 1}\r\n\r\n${line}\n`,
  );
};
