import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { colors, type HealthReport } from "../../administration/health.ts";
import { healthKeys } from "../../administration/health-keys.ts";
import { fail } from "../../core/errors.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";

/** The dependencies of the health endpoints. */
export interface HealthParts {
  readonly deps: Pick<HttpDeps, "config" | "management">;
  readonly exchangeOf: (request: FastifyRequest) => Pick<Exchange, "deadline">;
}

const good: HealthReport = { color: "GREEN", message: null, checks: [] };

/**
 * Serves `/health`, which answers 500 for anything but GREEN (interface specification 4.4), and for
 * orchestrators `/livez`, which depends on nothing, and `/readyz`, which answers 503 while the
 * server cannot serve requests.
 */
export const registerHealth = (
  app: FastifyInstance,
  { deps: { config, management }, exchangeOf }: HealthParts,
): void => {
  const settings = config.view(healthKeys);
  const answer =
    (look: (signal: AbortSignal) => Promise<HealthReport>, bad: 500 | 503) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (!settings()["endpoint.health.enabled"])
        fail("denied", "The health endpoint is disabled: endpoint.health.enabled is false");
      const { deadline } = exchangeOf(request);
      const { color, message, checks } = await deadline.race(look(deadline.signal));
      const told = checks.length === 0 ? {} : { checks };
      return reply
        .code(color === "GREEN" ? 200 : bad)
        .header("cache-control", "no-cache")
        .type("application/json; charset=utf-8")
        .send(JSON.stringify({ color, message, possibleColors: colors, ...told }));
    };
  app.get(
    "/health",
    answer(async (signal) => management?.health.report(signal) ?? good, 500),
  );
  app.get(
    "/livez",
    answer(async () => good, 503),
  );
  app.get(
    "/readyz",
    answer(async (signal) => management?.health.ready(signal) ?? good, 503),
  );
};
