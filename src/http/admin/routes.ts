import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import { identifierReadingKeys, identifierSyntax, isTransformed } from "../../iiif/identifiers.ts";
import { adminKeys } from "../api/keys.ts";
import { imageOf } from "../permission/identifier.ts";
import type { HttpDeps, HttpManagement } from "../request/deps.ts";
import { MethodNotAllowed } from "../request/errors.ts";
import type { Exchange } from "../request/exchange.ts";
import type { EndInFailure } from "../request/failures.ts";
import { methodsAt } from "../request/methods.ts";
import { requireJson } from "../request/require-json.ts";
import { compatible } from "./compatible.ts";
import { createDoors } from "./doors.ts";
import type { Answering } from "./exchange.ts";
import { builtPanel, panelFiles } from "./files.ts";
import { guardHeaders } from "./guards.ts";
import { registerPage, sendPage, wantsPage } from "./page.ts";
import { problemJson } from "./problem.ts";
import { resources } from "./resources.ts";
import { noStore, sendJson } from "./sending.ts";
import { ownChallenge, registerSession } from "./session.ts";

/** The dependencies of the control panel's routes. */
export interface AdminParts {
  readonly deps: Pick<
    HttpDeps,
    "config" | "log" | "productVersion" | "panel" | "policy" | "delegate"
  > & {
    readonly management: HttpManagement;
  };
  readonly exchangeOf: (request: FastifyRequest) => Exchange;
  readonly endInFailure: EndInFailure;
}

/** Maximum length of a request body in bytes. */
const maxBody = 1_048_576;

/**
 * Serves the control panel and its API while `endpoint.admin.enabled` is on; otherwise every
 * request is `denied`.
 */
export const registerAdmin = (
  app: FastifyInstance,
  { deps, exchangeOf, endInFailure }: AdminParts,
): void => {
  const settings = deps.config.view(adminKeys);
  const identifiers = deps.config.view(identifierReadingKeys);
  const { management, log, productVersion } = deps;
  const doors = createDoors({
    settings,
    administration: management.administration,
    log,
  });
  const files = panelFiles(deps.panel ?? builtPanel());

  const handler = (answer: Answering) => async (request: FastifyRequest, reply: FastifyReply) => {
    const exchange = exchangeOf(request);
    const { "*": wild } = request.params as { readonly "*"?: string };
    const made = answer({
      exchange,
      management,
      body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
      rest: wild === undefined ? [] : exchange.target.segments.slice(segmentsBefore),
      imageOf: (segment) =>
        imageOf(exchange, segment, {
          ...(deps.delegate ? { delegate: deps.delegate } : {}),
          identifierSyntax: () => identifierSyntax(identifiers()),
          isTransformed: () => isTransformed(identifiers()),
        }),
      policy: deps.policy,
      delegate: deps.delegate !== undefined,
    });
    return sendJson(reply, await exchange.deadline.race(made));
  };
  const serve = (
    room: FastifyInstance,
    place: string,
    all: Readonly<Record<string, Readonly<Record<string, Answering>>>>,
  ): void => {
    for (const [path, methods] of Object.entries(all))
      for (const [method, answer] of Object.entries(methods))
        room.route({ method, url: place + path, bodyLimit: maxBody, handler: handler(answer) });
  };

  app.register((room, _options, done) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: maxBody },
      (_request, body, done) => done(null, body),
    );
    room.addHook("onRequest", async (_request, reply) => {
      if (!settings()["endpoint.admin.enabled"])
        fail("denied", "The control panel is disabled: endpoint.admin.enabled is false");
      reply.headers(guardHeaders);
    });
    room.addHook("onSend", async (_request, reply) => {
      if (reply.statusCode >= 400) reply.header("cache-control", noStore);
    });
    room.setErrorHandler((error, request) => {
      const exchange = exchangeOf(request);
      const isOfApi = exchange.target.segments[1] === "api";
      endInFailure(exchange, error, isOfApi ? problemJson(error) : undefined);
    });

    let allowedAt: ReturnType<typeof methodsAt> = () => undefined;
    room.register((inside, _options, done) => {
      allowedAt = methodsAt(inside);
      registerPage(inside, { files, exchangeOf });
      registerSession(inside, { doors, exchangeOf, productVersion });
      inside.register((panel, _options, done) => {
        panel.addHook("onRequest", async (request, reply) => {
          reply.header("www-authenticate", ownChallenge);
          await doors.bySession(exchangeOf(request));
          reply.removeHeader("www-authenticate");
          requireJson(request);
        });
        serve(panel, "/admin/api", resources);
        done();
      });
      inside.register((scripts, _options, done) => {
        scripts.addHook("onRequest", async (request, reply) => {
          if (wantsPage(request)) return sendPage({ files, exchangeOf }, request, reply);
          reply.header("www-authenticate", 'Basic realm="Vitrine control panel", charset="UTF-8"');
          await doors.byCredentials(exchangeOf(request));
          reply.removeHeader("www-authenticate");
          requireJson(request);
          return undefined;
        });
        serve(scripts, "/admin", compatible);
        done();
      });
      done();
    });

    // Before the body is read, which an unknown path does not need.
    const elsewhere = async (request: FastifyRequest, reply: FastifyReply) => {
      const { path } = exchangeOf(request).target;
      const allowed = allowedAt(path);
      if (allowed === undefined) return fail("missing", `Nothing is here: ${quoted(path)}`);
      if (request.method !== "OPTIONS") throw new MethodNotAllowed(request.method, allowed);
      return reply.code(204).header("allow", allowed.join(", ")).send();
    };
    for (const url of ["/admin", "/admin/*"])
      room.route({
        method: url.endsWith("*") ? [...others, "GET"] : [...others],
        url,
        onRequest: elsewhere,
        handler: elsewhere,
      });
    done();
  });
};

/** `admin`, `api` and the name of the resource. */
const segmentsBefore = 3;

/** Methods that the page itself does not have. */
const others = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
