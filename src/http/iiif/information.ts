import type { MarkedSegment } from "../../access/signed-urls.ts";
import type { DelegateMethod } from "../../core/delegate.ts";
import type { MetaIdentifier } from "../../core/identifier.ts";
import { informationKeys } from "../../delegate/answers.ts";
import { missingPage } from "../../iiif/limits.ts";
import { pageAt } from "../../iiif/offer.ts";
import type { Version } from "../../iiif/version.ts";
import type { KnownImage } from "../../service/known.ts";
import { describeServices, informationAccess, refusedInformation } from "../auth/information.ts";
import { audienceOf } from "../permission/audience.ts";
import { imageFacts } from "../permission/delegate-context.ts";
import type { IiifDeps } from "../permission/deps.ts";
import { type Gate, gateOf } from "../permission/gate.ts";
import { resolveName } from "../permission/identifier.ts";
import { negotiate } from "../request/accept.ts";
import { addValidators, isFresh, type Validators } from "../request/conditional.ts";
import { errorPage, type Problem, type RenderedPage } from "../request/error-page.ts";
import { type Exchange, imageUri } from "../request/exchange.ts";
import { addVary, linkHeader } from "../request/headers.ts";
import { jsonType, linkedJson, plainJson } from "../request/json-type.ts";
import { readQuery } from "../request/query.ts";
import { addServerTiming } from "../request/timing.ts";

/**
 * Returns the handler of info.json requests of a version of the API; `marked` is the raw segment of
 * the identifier.
 */
export const answerInformation = async (
  exchange: Exchange,
  marked: MarkedSegment,
  deps: IiifDeps,
): Promise<void> => {
  const { version, images, outputs, limits, clientCache } = deps;
  const { request, reply, deadline, target, timings } = exchange;
  const query = readQuery(target.query);
  if (query.caching !== "use") await deps.guardCacheQuery(exchange);
  const naming = resolveName(exchange, marked, query, deps);
  const named = naming instanceof Promise ? await naming : naming;
  if (named === "answered") return;
  const { id, segment } = named;
  const access = informationAccess(deps, exchange, { identifier: id.identifier, marked }, version);
  const { permission } = access;
  const { confinement } = permission;
  const { mark } = marked;
  const gate = deps.delegate && gateOf(deps.delegate, exchange, named, { ...deps, mark });
  if (gate && (await gate.preAuthorize()) === "answered") return;
  const context = exchange.context(id.identifier, gate?.session);
  // The document needs neither further pages nor smaller levels of the first one; a delegate is
  // given all of them.
  const sufficient = id.page === 1 && gate === undefined ? "outline" : "whole";
  const known = await deadline.race(images.know(context, query.caching, sufficient));
  timings.enter("answer");
  const uri = imageUri(exchange, version.number, mark + segment);
  const keys = gate ? await deadline.race(extraKeys(gate, version, known, id)) : {};
  const extra = describeServices(access, keys, { deps, version, uri });
  const type = jsonType(version, request.headers.accept);
  const settings = limits();
  const written = outputs();
  const { page, constraint } = id;
  const document = deps.documents.get(
    `${uri} ${page} ${constraint.numerator}:${constraint.denominator} ${JSON.stringify([extra, confinement])}`,
    { type, sources: [known.info, settings, written] },
    () =>
      JSON.stringify(
        version.information({
          uri,
          page: pageAt(known.info, id, missingPage(settings)),
          constraint,
          outputs: written,
          preferred: settings["endpoint.iiif.preferred_formats"],
          limits: settings,
          ...(confinement ? { confinement } : {}),
          extra,
        }),
      ),
  );
  const validators: Validators = {
    etag: `"${document.digest}"`,
    lastModified: known.lastModified,
  };
  const audience = audienceOf(permission, gate?.session, "information", clientCache());
  const canonical = version.canonical && `${uri}/info.json`;
  addValidators(reply, validators, deps.dateText);
  reply
    .headers(deps.cacheHeaders(query.caching === "bypass", audience))
    .header("link", linkHeader({ profile: version.profile, canonical }));
  addVary(reply, true, permission);
  addServerTiming(exchange);
  const refusal = await refusedInformation(access, exchange, named, deps);
  if (refusal !== undefined) reply.code(refusal.status).headers(refusal.headers);
  if (refusal === undefined && isFresh(request.headers, validators)) reply.code(304).send();
  // As bytes: Fastify would add a charset to a string, which neither media type has.
  else reply.header("content-type", type).send(document.body);
};

/** The keys that the delegate adds to an info.json. Version 1 has no method for them. */
const extraKeys = async (
  { session, look }: Gate,
  { number }: Version,
  known: KnownImage,
  id: MetaIdentifier,
): Promise<Readonly<Record<string, unknown>>> => {
  const method = extraMethods.get(number);
  if (method === undefined || !session.has(method)) return {};
  await look(known);
  session.learn(imageFacts(known.info, id));
  return session.call(method, informationKeys);
};

const extraMethods: ReadonlyMap<number, DelegateMethod> = new Map([
  [2, "extra_iiif2_information_response_keys"],
  [3, "extra_iiif3_information_response_keys"],
]);

/**
 * How a failed request for info.json is answered: as JSON that still names its image, unless the
 * client prefers HTML.
 */
export const informationProblem =
  (exchange: Exchange, version: Version, identifier: string) =>
  (problem: Problem): RenderedPage => {
    const { accept } = exchange.request.headers;
    if (wantsPage(accept)) return errorPage(problem, accept);
    return {
      contentType: jsonType(version, accept),
      body: JSON.stringify({
        "@context": version.context,
        [version.identifierKey]: imageUri(exchange, version.number, identifier),
        ...problem,
      }),
    };
  };

const wantsPage = (accept: string | undefined): boolean => {
  const pages = ["text/html", "application/xhtml+xml", "text/plain"];
  const wanted = negotiate(accept, [plainJson, linkedJson, ...pages]);
  return wanted !== undefined && pages.includes(wanted);
};
