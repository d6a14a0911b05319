import { type MarkedSegment, takeMark } from "../../access/signed-urls.ts";
import { fail } from "../../core/errors.ts";
import { decodeSegment, quoted } from "../../core/identifier.ts";
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
import { dateTexts } from "../request/conditional.ts";
import type { HttpDeps } from "../request/deps.ts";
import { InlineNames } from "../request/disposition.ts";
import { MethodNotAllowed } from "../request/errors.ts";
import type { Exchange } from "../request/exchange.ts";
import type { EndInFailure } from "../request/failures.ts";
import { currentCacheHeaders, preflightHeaders } from "../request/headers.ts";
import { identifierReader } from "../request/identifiers.ts";
import { clientCacheKeys } from "../request/keys.ts";
import { reads } from "../request/methods.ts";
import { readQuery } from "../request/query.ts";
import { redirect } from "../request/redirects.ts";
import { answerImage, type UnparsedImageRequest } from "./images.ts";
import { answerInformation, informationProblem } from "./information.ts";
import { versionPage } from "./version-page.ts";

/** What the image endpoints need beside the server's own dependencies. */
export interface EndpointTools {
  readonly replays: Replays;
  readonly endInFailure: EndInFailure;
}

/** Answers an exchange at `/iiif/N` or below; the promise rejects with what prevents a response. */
export type Endpoint = (exchange: Exchange) => Promise<void>;

/** Creates the endpoint of a version; it denies requests while that is disabled. */
export const createEndpoint = (
  version: Version,
  deps: HttpDeps,
  { replays, endInFailure }: EndpointTools,
): Endpoint => {
  const { embedded, images, outputs, lacking, config, delegate, policy, auth, overlays } = deps;
  const endpoints = config.view(endpointKeys);
  const identifiers = config.view(identifierReadingKeys);
  const dialect = config.view(dialectKeys);
  const dialects = dialectsOf(version);
  const prefix = `/iiif/${version.number}`;
  const clientCache = config.view(clientCacheKeys);
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
    identifierReader: identifierReader(),
    isTransformed: () => isTransformed(identifiers()),
    clientCache,
    cacheHeaders: currentCacheHeaders(clientCache),
    dateText: dateTexts(),
    fileNames: new InlineNames(),
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

  return async (exchange) => {
    const { request, reply } = exchange;
    if (request.method === "OPTIONS") {
      refuseWhenDisabled();
      reply
        .code(204)
        .headers({ allow: methods.join(", "), ...preflightHeaders(methods) })
        .send();
      return;
    }
    if (!reads(request.method)) throw new MethodNotAllowed(request.method, methods);
    refuseWhenDisabled();
    refuseTooLong(exchange, version);
    const asked = destination(exchange, iiif);
    switch (asked.kind) {
      case "endpoint":
        versionPage(exchange, version);
        break;
      case "elsewhere":
        reply.headers(iiif.cacheHeaders(readQuery(exchange.target.query).caching === "bypass"));
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
  };
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
  { version, identifierSyntax: syntax, identifierReader: reader, isTransformed, policy }: IiifDeps,
): Destination => {
  const { segments } = target;
  const prefix = `/iiif/${version.number}`;
  const identifier = segments[2];
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
  const simpler = isTransformed() ? undefined : reader.simpler(marked.segment, syntax());
  if (simpler !== undefined) {
    const path = [prefix, marked.mark + simpler, ...segments.slice(3)].join("/");
    return { kind: "elsewhere", status: 301, path };
  }
  const [, , , region = "", size = "", rotation = "", quality = ""] = segments;
  return shape === "image"
    ? { kind: "image", marked, parameters: [region, size, rotation, quality] }
    : { kind: "information", marked };
};

/** The meaning of segments by their number: prefix, identifier, and up to four parameters. */
const shapeOf = (segments: readonly string[]): "base" | "information" | "image" | undefined => {
  if (segments.length === 3) return "base";
  if (segments.length === 7) return "image";
  const document = segments.length === 4 ? segments[3] : undefined;
  return document !== undefined && decodeSegment(document, "path") === "info.json"
    ? "information"
    : undefined;
};
