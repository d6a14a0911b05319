import type { FastifyInstance } from "fastify";
import { fail } from "../core/errors.ts";
import type { HttpDeps } from "./deps.ts";
import { healthKeys } from "./keys.ts";

/** Serves `/health`: that the server answers is all it says. */
export const registerHealth = (app: FastifyInstance, deps: HttpDeps): void => {
  const settings = deps.config.view(healthKeys);
  app.get("/health", (_request, reply) => {
    if (!settings()["endpoint.health.enabled"])
      return fail("denied", "The health endpoint is disabled: endpoint.health.enabled is false");
    return reply
      .header("cache-control", "no-cache")
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ color: "GREEN", message: null, possibleColors: colors }));
  });
};

const colors = ["GREEN", "YELLOW", "RED"] as const;
