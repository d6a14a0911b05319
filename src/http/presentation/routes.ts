import type { FastifyInstance, FastifyRequest } from "fastify";
import { fail } from "../../core/errors.ts";
import { Limiter } from "../../core/limiter.ts";
import { identifierReadingKeys, identifierSyntax, isTransformed } from "../../iiif/identifiers.ts";
import { limitKeys } from "../../iiif/limits.ts";
import type { Version } from "../../iiif/version.ts";
import { endpointKeys, versions } from "../../iiif/versions.ts";
import { presentationKeys } from "../../presentation/keys.ts";
import { presentationVersions } from "../../presentation/versions.ts";
import type { Replays } from "../permission/replays.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { currentCacheHeaders, preflightHeaders } from "../request/headers.ts";
import { identifierReader } from "../request/identifiers.ts";
import { clientCacheKeys } from "../request/keys.ts";
import { answerPresentation, refuseWhenDisabled } from "./answer.ts";
import type { PresentationDeps } from "./deps.ts";

/** The dependencies of the routes. */
export interface PresentationRoutes {
  readonly deps: HttpDeps;
  readonly exchangeOf: (request: FastifyRequest) => Exchange;
  readonly replays: Replays;
}

/**
 * Maximum number of documents that a process generates at the same time, and of waiting requests.
 */
const making = { running: 4, waiting: 64 } as const;

const methods = ["GET", "HEAD", "OPTIONS"] as const;

/** Serves `/presentation/2` and `/presentation/3`. */
export const registerPresentation = (
  app: FastifyInstance,
  { deps, exchangeOf, replays }: PresentationRoutes,
): void => {
  const { presentation: sources, config, delegate, policy, auth } = deps;
  if (sources === undefined) return;
  const settings = config.view(presentationKeys);
  const clientCache = config.view(clientCacheKeys);
  const endpoints = config.view(endpointKeys);
  const identifiers = config.view(identifierReadingKeys);
  const shared: Omit<PresentationDeps, "presentation"> = {
    ...sources,
    images: deps.images,
    outputs: deps.outputs,
    log: deps.log,
    ...(delegate ? { delegate } : {}),
    ...(policy ? { policy } : {}),
    ...(auth ? { auth } : {}),
    replays,
    settings,
    limits: config.view(limitKeys),
    identifierSyntax: () => identifierSyntax(identifiers()),
    identifierReader: identifierReader(),
    isTransformed: () => isTransformed(identifiers()),
    clientCache,
    cacheHeaders: currentCacheHeaders(clientCache),
    documentCacheHeaders: currentCacheHeaders(() => ({
      ...clientCache(),
      "cache.client.no_cache": true,
    })),
    imageVersions: () =>
      namedVersions(
        versions.filter(({ number }) => endpoints()[`endpoint.iiif.${number}.enabled`]),
      ),
    limiter: new Limiter(() => making, "Too many manifests are being made. Try again later."),
  };

  for (const presentation of presentationVersions) {
    const path = `/presentation/${presentation.number}/*`;
    app.options(path, (request, reply) => {
      const { reply: answer } = exchangeOf(request);
      answer.header("access-control-allow-origin", "*");
      refuseWhenDisabled(settings()["endpoint.presentation.enabled"]);
      answer
        .code(204)
        .headers({ allow: methods.join(", "), ...preflightHeaders(methods) })
        .send();
      return reply;
    });
    app.get(path, async (request, reply) => {
      const exchange = exchangeOf(request);
      exchange.reply.header("access-control-allow-origin", "*");
      refuseWhenDisabled(settings()["endpoint.presentation.enabled"]);
      await answerPresentation(exchange, { ...shared, presentation });
      return reply;
    });
  }
};

/** Newest first; version 1 only if it is the only one, since no viewer of manifests prefers it. */
const namedVersions = (enabled: readonly Version[]): readonly [Version, ...Version[]] => {
  const newer = enabled.filter(({ number }) => number > 1);
  const [first, ...others] = (newer.length > 0 ? newer : enabled).toReversed();
  if (first === undefined)
    return fail(
      "denied",
      "Manifests need the Image API, but all its versions are disabled. Enable endpoint.iiif.3.enabled.",
    );
  return [first, ...others];
};
