import { fail } from "../../core/errors.ts";
import { decodeSegment, quoted } from "../../core/identifier.ts";
import { isDenied } from "../api/configuration.ts";
import { jsonObject } from "../api/json.ts";
import { pyramidQuery } from "../api/pyramids.ts";
import { cancelled, taskOf, taskRequest } from "../api/tasks.ts";
import { showAccess, tryAccess } from "./access.ts";
import type { Answering, PanelAnswer } from "./exchange.ts";
import { logQuery } from "./logs.ts";

/** The endpoints of the panel for authenticated users, by path below `/admin/api` and method. */
export const resources: Readonly<Record<string, Readonly<Record<string, Answering>>>> = {
  "/status": {
    GET: async ({ management }) => ok(await management.administration.status()),
  },
  "/figures": {
    GET: async ({ management }) => ok(await management.administration.figures()),
  },
  "/health": {
    GET: async ({ management, exchange }) =>
      ok(await management.health.examine(exchange.deadline.signal)),
  },
  "/tasks": {
    GET: async ({ management }) => ok(await management.administration.tasks()),
    POST: async ({ management, body }) => ({
      status: 202,
      body: await management.administration.begin(taskRequest(jsonObject(body))),
    }),
  },
  "/tasks/*": {
    GET: async ({ management, rest }) =>
      ok(await taskOf(management.administration, decodeSegment(rest.join("/"), "uuid"))),
    DELETE: async ({ management, rest }) =>
      ok(await cancelled(management.administration, decodeSegment(rest.join("/"), "uuid"))),
  },
  "/pyramids": {
    GET: async ({ management, exchange }) =>
      ok(await management.administration.pyramids(pyramidQuery(exchange.target.query))),
  },
  "/configuration": {
    GET: async ({ management }) => ok(await management.administration.configuration()),
    PUT: async ({ management, body }) => {
      const outcome = await management.administration.change(jsonObject(body));
      const refused = isDenied(outcome) ? 403 : 400;
      return { status: outcome.ok ? 200 : refused, body: outcome };
    },
  },
  "/configuration/check": {
    POST: async ({ management, body }) =>
      ok({ problems: await management.administration.check(jsonObject(body)) }),
  },
  "/access": { GET: showAccess },
  "/access/try": { POST: tryAccess },
  "/logs": {
    GET: async ({ management, exchange }) =>
      ok(await management.administration.logs(logQuery(exchange.target.query))),
  },
  "/images/*": {
    GET: async ({ management, exchange, rest, imageOf }) => {
      const [segment = "", ...further] = rest;
      if (further.length > 0)
        return fail(
          "malformed",
          `identifier: expected one segment with slashes written %2F, got ${quoted(rest.join("/"))}`,
        );
      const identifier = await imageOf(segment);
      return ok(await management.administration.image(identifier, exchange.deadline.signal));
    },
  },
};

const ok = (body: unknown): PanelAnswer => ({ status: 200, body });
