import { createHash } from "node:crypto";
import { fail } from "../core/errors.ts";
import { parseIdentifier } from "../core/identifier.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Version } from "../iiif/version.ts";
import { negotiate, parseAccept } from "./accept.ts";
import { isFresh, type Validators, validatorHeaders } from "./conditional.ts";
import type { Page as ErrorPage, Problem } from "./error-page.ts";
import { type Exchange, imageUri } from "./exchange.ts";
import { cacheHeaders, linkHeader } from "./headers.ts";
import type { IiifDeps } from "./iiif-deps.ts";
import { onPage, readQuery } from "./query.ts";

/** Answers a request for info.json of a version of the API; `identifier` is the raw segment. */
export const answerInformation = async (
  exchange: Exchange,
  identifier: string,
  deps: IiifDeps,
): Promise<void> => {
  const { version, images, outputs, limits, clientCache } = deps;
  const { request, reply, deadline, target } = exchange;
  const query = readQuery(target.query);
  const id = onPage(parseIdentifier(identifier, deps.identifierSyntax()), query.page);
  const context = exchange.context(id.identifier);
  const known = await deadline.race(images.know(context, query.caching));
  const uri = imageUri(exchange, version.number, identifier);
  const body = JSON.stringify(
    version.information({
      uri,
      page: pageOf(known.info, id.page),
      constraint: id.constraint,
      outputs: outputs(),
      preferred: limits()["endpoint.iiif.preferred_formats"],
      limits: limits(),
      extra: {},
    }),
  );
  const type = mediaType(version, request.headers.accept);
  const validators: Validators = {
    etag: `"${createHash("sha256").update(type).update(body).digest("base64url").slice(0, 27)}"`,
    ...(known.lastModified === undefined ? {} : { lastModified: known.lastModified }),
  };
  reply.headers({
    ...validatorHeaders(validators),
    ...cacheHeaders(clientCache(), query.caching),
    vary: "Accept",
    link: linkHeader({
      profile: version.profile,
      canonical: version.canonical && `${uri}/info.json`,
    }),
  });
  if (isFresh(request.headers, validators)) reply.code(304).send();
  // As bytes: to a text Fastify would add a charset, which neither media type has.
  else reply.header("content-type", type).send(Buffer.from(body));
};

const pageOf = (info: ImageInfo, page: number): Page =>
  info.pages[page - 1] ??
  fail("missing", `page: expected 1 to ${info.pages.length} for this image, got ${page}`);

const plainJson = "application/json";
const linkedJson = "application/ld+json";

/**
 * What info.json is served as. Only a header that ranks one kind of JSON above the other, or HTML
 * above all, moves a version from its usual type (2.1 §5, 3.0 §5.1).
 */
const mediaType = (version: Version, accept: string | undefined): string => {
  const usual = version.mediaType;
  const other = usual === linkedJson ? plainJson : linkedJson;
  const wanted = negotiate(parseAccept(accept), [usual, other, "text/html"]);
  const chosen = wanted === "text/html" ? plainJson : (wanted ?? usual);
  return chosen === linkedJson ? `${linkedJson};profile="${version.context}"` : plainJson;
};

/** How a failed request for info.json is answered: as JSON that still says which image it is about. */
export const informationProblem =
  (exchange: Exchange, version: Version, identifier: string) =>
  (problem: Problem): ErrorPage => ({
    contentType: mediaType(version, exchange.request.headers.accept),
    body: JSON.stringify({
      "@context": version.context,
      [identifierKey[version.number]]: imageUri(exchange, version.number, identifier),
      ...problem,
    }),
  });

const identifierKey = { 1: "@id", 2: "@id", 3: "id" } as const satisfies Record<
  Version["number"],
  string
>;
