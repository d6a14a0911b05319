import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type MarkedSegment, takeMark } from "../../access/signed-urls.ts";
import { fail } from "../../core/errors.ts";
import { decodeSegment, quoted, simplerSegment } from "../../core/identifier.ts";
import { dialectKeys } from "../../iiif/dialect.ts";
import { identifierReadingKeys, identifierSyntax, isTransformed } from "../../iiif/identifiers.ts";
import { limitKeys } from "../../iiif/limits.ts";
import { dialectsOf } from "../../iiif/syntaxes.ts";
import type { Version } from "../../iiif/version.ts";
import { endpointKeys } from "../../iiif/versions.ts";
import { Documents } from "../../service/documents.ts";
import { cacheQueryGuard } from "../permission/cache-query.ts";
import type { IiifDeps } from "../permission/deps.ts";
import type { Replays } from "../permission/replays.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import type { EndInFailure } from "../request/failures.ts";
import { cacheHeaders, preflightHeaders } from "../request/headers.ts";
import { clientCacheKeys } from "../request/keys.ts";
import { readQuery } from "../request/query.ts";
import { redirect } from "../request/redirects.ts";
import { answerImage, type UnparsedImageRequest } from "./images.ts";
import { answerInformation, informationProblem } from "./information.ts";
import { versionPage } from "./version-page.ts";

/** The dependencies of the IIIF routes. */
export interface RouteDeps {
  readonly exchangeOf: (request: FastifyRequest) => Exchange;
  readonly endInFailure: EndInFailure;
}

/** Serves `/iiif/N` and all below it while that endpoint is enabled. */
export const registerVersion = (
  app: FastifyInstance,
  version: Version,
  {
    deps,
    replays,
    exchangeOf,
    endInFailure,
  }: RouteDeps & { readonly deps: HttpDeps; readonly replays: Replays },
): void => {
  const { embedded, images, outputs, lacking, config, delegate, policy, auth, overlays } = deps;
  const endpoints = config.view(endpointKeys);
  const identifiers = config.view(identifierReadingKeys);
  const dialect = config.view(dialectKeys);
  const dialects = dialectsOf(version);
  const prefix = `/iiif/${version.number}`;
  const iiif: IiifDeps = {
    version,
    syntax: () => dialects[dialect()["endpoint.iiif.dialect"]],
    images,
    outputs,
    ...(lacking ? { lacking } : {}),
    ...(delegate ? { delegate } : {}),
    ...(embedded ? { embedded } : {}),
    ...(policy ? { policy } : {}),
    ...(auth ? { auth } : {}),
    ...(overlays ? { overlays } : {}),
    limits: config.view(limitKeys),
    identifierSyntax: () => identifierSyntax(identifiers()),
    isTransformed: () => isTransformed(identifiers()),
    clientCache: config.view(clientCacheKeys),
    documents: new Documents(),
    replays,
    guardCacheQuery: cacheQueryGuard(deps),
  };
  const refuseWhenDisabled = (): void => {
    if (!endpoints()[`endpoint.iiif.${version.number}.enabled`])
      fail(
        "denied",
        `The endpoint ${prefix} is disabled: endpoint.iiif.${version.number}.enabled is false`,
      );
  };

  app.options(prefix, (_request, reply) => {
    refuseWhenDisabled();
    return reply
      .code(204)
      .headers({ allow: methods.join(", "), ...preflightHeaders(methods) })
      .send();
  });

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    refuseWhenDisabled();
    const exchange = exchangeOf(request);
    refuseTooLong(exchange, version);
    const asked = destination(exchange, iiif);
    switch (asked.kind) {
      case "endpoint":
        versionPage(exchange, version);
        break;
      case "elsewhere":
        reply.headers(
          cacheHeaders(iiif.clientCache(), readQuery(exchange.target.query).caching === "bypass"),
        );
        redirect(exchange, asked.status, asked.path);
        break;
      case "image":
        await answerImage(exchange, asked, iiif);
        break;
      case "information":
        await answerInformation(exchange, asked.marked, iiif).catch((error: unknown) => {
          const { mark, segment } = asked.marked;
          endInFailure(exchange, error, informationProblem(exchange, version, mark + segment));
        });
    }
    return reply;
  };
  // Fastify's own HEAD routes would report a length of 0 for an image that is not rendered.
  app.route({ method: ["GET", "HEAD"], url: prefix, handler: answer, exposeHeadRoute: false });
};

const methods = ["GET", "HEAD", "OPTIONS"] as const;

/** 1.1 §8 answers a URI beyond its limit with 414. */
const refuseTooLong = ({ address, target }: Exchange, { syntax }: Version): void => {
  if (syntax.maxUriLength === undefined) return;
  const query = target.query === undefined ? "" : `?${target.query}`;
  const { length } = `${address.base}${target.path}${query}`;
  if (length > syntax.maxUriLength)
    fail("lengthy", `URI: expected at most ${syntax.maxUriLength} characters, got ${length}`);
};

/** The resource that a request's path names. */
type Destination =
  | { readonly kind: "endpoint" }
  | { readonly kind: "elsewhere"; readonly status: 301 | 303; readonly path: string }
  | { readonly kind: "information"; readonly marked: MarkedSegment }
  | ({ readonly kind: "image" } & UnparsedImageRequest);

const destination = (
  { address, target }: Exchange,
  { version, identifierSyntax: syntax, isTransformed, policy }: IiifDeps,
): Destination => {
  const segments = target.segments.slice(2);
  const prefix = `/iiif/${version.number}`;
  const [identifier, ...rest] = segments;
  if (identifier === undefined) return { kind: "endpoint" };
  const shape = segments.includes("") ? undefined : shapeOf(segments);
  if (shape === undefined)
    return fail(
      "missing",
      `path: expected {identifier}/info.json or {identifier}/{region}/{size}/{rotation}/{quality}.{format} below ${prefix}, got ${quoted(target.path)}`,
    );
  if (shape === "base") {
    decodeSegment(identifier, "identifier");
    const path = `${prefix}/${address.identifier ?? identifier}/info.json`;
    return { kind: "elsewhere", status: 303, path };
  }
  const marked: MarkedSegment = policy?.()?.signatures
    ? takeMark(identifier)
    : { mark: "", segment: identifier };
  const simpler = isTransformed() ? undefined : simplerSegment(marked.segment, syntax());
  if (simpler !== undefined) {
    const path = [prefix, marked.mark + simpler, ...rest].join("/");
    return { kind: "elsewhere", status: 301, path };
  }
  if (!isImage(segments)) return { kind: "information", marked };
  const [, ...parameters] = segments;
  return { kind: "image", marked, parameters };
};

const shapeOf = (segments: readonly string[]): "base" | "information" | "image" | undefined => {
  if (segments.length === 1) return "base";
  if (isImage(segments)) return "image";
  const [, second] = segments;
  return segments.length === 2 &&
    second !== undefined &&
    decodeSegment(second, "path") === "info.json"
    ? "information"
    : undefined;
};

const isImage = (
  segments: readonly string[],
): segments is [string, string, string, string, string] => segments.length === 5;
