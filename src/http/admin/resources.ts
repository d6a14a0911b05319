import { fail } from "../../core/errors.ts";
import { decodeSegment, quoted } from "../../core/identifier.ts";
import { isDenied } from "../api/configuration.ts";
import { jsonObject } from "../api/json.ts";
import { taskOf, taskRequest } from "../api/tasks.ts";
import { showAccess, tryAccess } from "./access.ts";
import type { Answering, PanelAnswer } from "./exchange.ts";
import { logQuery } from "./logs.ts";

/** What the panel asks once somebody is logged in, by path below `/admin/api` and method. */
export const resources: Readonly<Record<string, Readonly<Record<string, Answering>>>> = {
  "/status": { GET: async ({ office }) => ok(await office.administration.status()) },
  "/figures": { GET: async ({ office }) => ok(await office.administration.figures()) },
  "/health": {
    GET: async ({ office, exchange }) => ok(await office.health.examine(exchange.deadline.signal)),
  },
  "/tasks": {
    GET: async ({ office }) => ok(await office.administration.tasks()),
    POST: async ({ office, body }) => ({
      status: 202,
      body: await office.administration.begin(taskRequest(jsonObject(body))),
    }),
  },
  "/tasks/*": {
    GET: async ({ office, rest }) =>
      ok(await taskOf(office.administration, decodeSegment(rest.join("/"), "uuid"))),
  },
  "/configuration": {
    GET: async ({ office }) => ok(await office.administration.configuration()),
    PUT: async ({ office, body }) => {
      const outcome = await office.administration.change(jsonObject(body));
      const refused = isDenied(outcome) ? 403 : 400;
      return { status: outcome.ok ? 200 : refused, body: outcome };
    },
  },
  "/configuration/check": {
    POST: async ({ office, body }) =>
      ok({ problems: await office.administration.check(jsonObject(body)) }),
  },
  "/access": { GET: showAccess },
  "/access/try": { POST: tryAccess },
  "/logs": {
    GET: async ({ office, exchange }) =>
      ok(await office.administration.logs(logQuery(exchange.target.query))),
  },
  "/images/*": {
    GET: async ({ office, exchange, rest, imageOf }) => {
      const [segment = "", ...further] = rest;
      if (further.length > 0)
        return fail(
          "malformed",
          `identifier: expected one segment with slashes written %2F, got ${quoted(rest.join("/"))}`,
        );
      const identifier = await imageOf(segment);
      return ok(await office.administration.image(identifier, exchange.deadline.signal));
    },
  },
};

const ok = (body: unknown): PanelAnswer => ({ status: 200, body });
