import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fail } from "../../core/errors.ts";
import { basicCredentials } from "../request/basic.ts";
import type { HttpDeps, HttpManagement } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { logIn } from "../request/login.ts";
import { reads } from "../request/methods.ts";
import { refuseOtherSites } from "../request/origin.ts";
import { requireJson } from "../request/require-json.ts";
import { changeConfiguration, showConfiguration } from "./configuration.ts";
import type { ApiAnswer, ApiRequest } from "./exchange.ts";
import { apiKeys } from "./keys.ts";
import { openApi } from "./open-api.ts";
import { listPyramids } from "./pyramids.ts";
import { showStatus } from "./status.ts";
import { beginTask, cancelTask, listTasks, showTask } from "./tasks.ts";

/** The dependencies of the API's routes. */
export interface ApiParts {
  readonly deps: Pick<HttpDeps, "config" | "log" | "productVersion"> & {
    readonly management: HttpManagement;
  };
  readonly exchangeOf: (request: FastifyRequest) => Exchange;
}

type Answering = (request: ApiRequest) => Promise<ApiAnswer>;

/** Every resource of the API and what its methods do. */
const resources: Readonly<Record<string, Readonly<Record<string, Answering>>>> = {
  "/status": { GET: showStatus },
  "/configuration": { GET: showConfiguration, PUT: changeConfiguration },
  "/tasks": { GET: listTasks, POST: beginTask },
  "/tasks/:uuid": { GET: showTask, DELETE: cancelTask },
  "/pyramids": { GET: listPyramids },
};

const realm = 'Basic realm="Vitrine API", charset="UTF-8"';

/** Maximum length of a request body in bytes. */
const maxBody = 1_048_576;

/** Serves the API while its endpoint is enabled, to clients with its credentials. */
export const registerApi = (app: FastifyInstance, { deps, exchangeOf }: ApiParts): void => {
  const settings = deps.config.view(apiKeys);
  const { management, log } = deps;
  const refuseWhenDisabled = (): void => {
    if (!settings()["endpoint.api.enabled"])
      fail("denied", "The HTTP API is disabled: endpoint.api.enabled is false");
  };

  const letIn = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header("cache-control", notKept);
    refuseWhenDisabled();
    if (request.method === "OPTIONS") return;
    const exchange = exchangeOf(request);
    // Pages of other sites cannot read responses, so only requests that change something are worth
    // forging.
    if (!reads(request.method)) refuseOtherSites(exchange);
    const { username, secret } = credentialsIn(settings());
    reply.header("www-authenticate", realm);
    await logIn(
      {
        given: basicCredentials(request.headers.authorization),
        right: { username, secret },
        address: exchange.address,
        door: "the HTTP API",
      },
      { administration: management.administration, log },
    );
    reply.removeHeader("www-authenticate");
    requireJson(request);
  };

  // A Fastify scope of its own: the image endpoints take no bodies and need no credentials.
  app.register((room, _options, done) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: maxBody },
      (_request, body, done) => done(null, body),
    );
    room.addHook("onRequest", letIn);
    for (const [url, methods] of Object.entries(resources)) {
      for (const [method, answer] of Object.entries(methods))
        room.route({
          method,
          url,
          bodyLimit: maxBody,
          handler: async (request, reply) => {
            const exchange = exchangeOf(request);
            const { uuid = "" } = request.params as { readonly uuid?: string };
            const made = answer({
              exchange,
              management,
              body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
              uuid,
              showsSecrets: settings()["endpoint.api.show_secrets"],
            });
            return send(reply, await exchange.deadline.race(made));
          },
        });
      const allowed = ["GET", "HEAD", ...Object.keys(methods).filter((name) => name !== "GET")];
      room.options(url, async (_request, reply) =>
        reply
          .code(204)
          .header("allow", [...allowed, "OPTIONS"].join(", "))
          .send(),
      );
    }
    done();
  });

  app.get("/openapi.json", async (request, reply) => {
    refuseWhenDisabled();
    const { base } = exchangeOf(request).address;
    return send(reply.header("cache-control", "no-cache"), {
      status: 200,
      body: openApi({ version: deps.productVersion, base }),
    });
  });
};

const notKept = "no-cache, no-store";

const credentialsIn = (settings: {
  readonly "endpoint.api.username": string;
  readonly "endpoint.api.secret": string;
}): { readonly username: string; readonly secret: string } => ({
  username: settings["endpoint.api.username"],
  secret: settings["endpoint.api.secret"],
});

const send = (reply: FastifyReply, { status, headers = {}, body }: ApiAnswer): FastifyReply => {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  return reply
    .type("application/json; charset=utf-8")
    .send(`${JSON.stringify(body, undefined, 2)}\n`);
};
