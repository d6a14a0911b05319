import type { MarkedSegment } from "../../access/signed-urls.ts";
import { fail } from "../../core/errors.ts";
import type { FormatName } from "../../core/formats.ts";
import { decodeSegment, type MetaIdentifier } from "../../core/identifier.ts";
import type { ImageRequest } from "../../core/request.ts";
import { factsOf } from "../../formats/registry.ts";
import { parseImageRequest } from "../../iiif/grammar.ts";
import type { Syntax, Version } from "../../iiif/version.ts";
import type { Prepared } from "../../service/prepared.ts";
import { audienceOf } from "../permission/audience.ts";
import type { IiifDeps } from "../permission/deps.ts";
import { type Gate, gateOf } from "../permission/gate.ts";
import { hide } from "../permission/hiding.ts";
import { resolveName } from "../permission/identifier.ts";
import { type Permission, permitted } from "../permission/permission.ts";
import { negotiate } from "../request/accept.ts";
import { addValidators, isFresh, type Validators } from "../request/conditional.ts";
import { contentDisposition, safeName } from "../request/disposition.ts";
import { type Exchange, imageUri } from "../request/exchange.ts";
import { addVary, linkHeader } from "../request/headers.ts";
import { type QueryArguments, readQuery } from "../request/query.ts";
import { addServerTiming } from "../request/timing.ts";

/** An image request before parsing. */
export interface UnparsedImageRequest {
  /** The raw segment of the identifier. */
  readonly marked: MarkedSegment;
  readonly parameters: ImageParameters;
}

/** The raw segments after the identifier: region, size, rotation, quality and format. */
type ImageParameters = readonly [string, string, string, string];

/** Returns the handler of image requests of a version of the API. */
export const answerImage = async (
  exchange: Exchange,
  { marked, parameters }: UnparsedImageRequest,
  deps: IiifDeps,
): Promise<void> => {
  const { version, images, clientCache } = deps;
  const { request, reply, deadline, target, timings } = exchange;
  const query = readQuery(target.query);
  if (query.caching !== "use") await deps.guardCacheQuery(exchange);
  const naming = resolveName(exchange, marked, query, deps);
  const named = naming instanceof Promise ? await naming : naming;
  if (named === "answered") return;
  const { id, segment } = named;
  const negotiated = formatLeftOut(parameters);
  const syntax = deps.syntax();
  const fallback = fallbackOf(negotiated, exchange, deps);
  const read = readImageRequest(parameters, { syntax }, { id, fallback });
  refuseUnwritable(read.format, syntax, deps);
  const permission = permitted(deps, exchange, { identifier: id.identifier, marked });
  const asked = confined(read, permission);
  const { mark } = marked;
  const gate = deps.delegate && gateOf(deps.delegate, exchange, named, { ...deps, mark });
  if (gate && (await gate.preAuthorize()) === "answered") return;
  const context = exchange.context(asked.id.identifier, gate?.session);
  const known =
    images.prepareSync(asked, context, query.caching) ??
    (await deadline.race(images.prepare(asked, context, query.caching)));
  timings.enter("answer");
  const hiders = { overlays: deps.overlays, watermark: permission.watermark, gate };
  const hiding = hide(asked, known, hiders, deadline);
  const prepared = hiding instanceof Promise ? await hiding : hiding;
  if (gate && (await gate.authorize(asked, prepared)) === "answered") return;
  const validators = validatorsOf(prepared);
  const audience = gate ? audienceOf(permission, gate.session, "image", clientCache()) : permission;
  const uri = imageUri(exchange, version.number, mark + segment);
  const canonical = canonicalUri(version, prepared, uri);
  // Only once there is a response: errors carry none of these headers.
  const addHeaders = (): void => {
    addValidators(reply, validators, deps.dateText);
    reply.headers(deps.cacheHeaders(query.caching === "bypass", audience));
    addVary(reply, negotiated, permission);
    reply.header("link", linkHeader({ profile: version.profile, canonical }));
    addServerTiming(exchange);
  };
  if (isFresh(request.headers, validators)) {
    addHeaders();
    reply.code(304).send();
    return;
  }
  const drawing = drawnFor(request.method, () => images.draw(prepared, context, query.caching));
  const body = drawing instanceof Promise ? await deadline.race(drawing) : drawing;
  timings.enter("answer");
  addHeaders();
  reply
    .header("content-type", factsOf(prepared.plan.format).mediaTypes[0])
    .header(
      "content-disposition",
      disposition(query, { segment: marked.segment, parameters, asked }, deps),
    );
  if (query.caching === "use" && !negotiated && isSameForAll(deps, permission))
    keepFor(gate, exchange, prepared, deps);
  reply.send(body);
};

/** Stores the response for replay, unless the delegate influences more than access. */
const keepFor = (
  gate: Gate | undefined,
  exchange: Exchange,
  { image, key, plan: { identifier } }: Prepared,
  { replays }: Pick<IiifDeps, "replays">,
): void => {
  const question = gate?.question();
  if (gate === undefined || question) replays.keep(exchange, { image, identifier, key }, question);
};

/** HEAD gets every header that is known without rendering, so no length. */
const drawnFor = <T>(method: string, draw: () => T): T | undefined =>
  method === "HEAD" ? undefined : draw();

/**
 * Whether the response depends on nothing but the URL and the delegate: access rules may depend on
 * the client, and an overlay's file may change.
 */
const isSameForAll = (
  { overlays }: Pick<IiifDeps, "overlays">,
  { personal, watermark }: Permission,
): boolean => !personal && watermark === undefined && overlays?.strategy() === undefined;

/** The output format when neither the URL nor Accept names one. */
const usualFormat: FormatName = "jpg";

const readImageRequest = (
  [region, size, rotation, quality]: ImageParameters,
  version: { readonly syntax: Syntax },
  { id, fallback }: { readonly id: MetaIdentifier; readonly fallback: FormatName },
): ImageRequest => parseImageRequest({ region, size, rotation, quality }, version, id, fallback);

const confined = (read: ImageRequest, { confinement }: Permission): ImageRequest =>
  confinement ? { ...read, confinement } : read;

const formatLeftOut = ([, , , quality]: ImageParameters): boolean =>
  !decodeSegment(quality, "quality").includes(".");

const fallbackOf = (
  negotiated: boolean,
  { request }: Exchange,
  { version, outputs }: IiifDeps,
): FormatName =>
  negotiated ? wantedFormat(request.headers.accept, version, outputs()) : usualFormat;

/** The format that Accept prefers among those that the version and the codecs have (1.1 §4.5). */
const wantedFormat = (
  accept: string | undefined,
  version: Version,
  outputs: readonly FormatName[],
): FormatName => {
  const named = new Set(Object.values(version.syntax.formats));
  const offered = [...new Set([usualFormat, ...outputs])].filter(
    (format) => named.has(format) && outputs.includes(format),
  );
  const wanted = negotiate(
    accept,
    offered.map((format) => factsOf(format).mediaTypes[0]),
  );
  return offered.find((format) => factsOf(format).mediaTypes[0] === wanted) ?? usualFormat;
};

const refuseUnwritable = (
  format: FormatName,
  { unknownFormat }: Syntax,
  { outputs, lacking }: Pick<IiifDeps, "outputs" | "lacking">,
): void => {
  const written = outputs();
  if (written.includes(format)) return;
  const lack = lacking?.(format);
  if (lack !== undefined) fail("unimplemented", lack);
  fail(
    unknownFormat,
    `format: expected one that can be written here (${written.map(extension).join(", ")}), got ${extension(format)}`,
  );
};

const extension = (format: FormatName): string => factsOf(format).extensions[0];

// Weak: another release may render the same plan to other bytes.
const validatorsOf = ({ key, image }: Prepared): Validators => ({
  etag: `W/"${key}"`,
  lastModified: image.lastModified,
});

const canonicalUri = (
  version: Version,
  { resolution }: Prepared,
  imageUri: string,
): string | undefined => version.canonical && `${imageUri}/${version.canonical(resolution)}`;

/** The Content-Disposition that is requested, or an inline one whose file name has all parameters. */
const disposition = (
  { disposition: wanted }: QueryArguments,
  { segment, parameters, asked }: NamedRequest,
  { fileNames }: Pick<IiifDeps, "fileNames">,
): string => {
  const end = `.${extension(asked.format)}`;
  const usual = wanted === undefined ? fileNames.of(segment, parameters, end) : undefined;
  if (usual !== undefined) return usual;
  const name = decodeSegment(segment, "path");
  const requested = wanted && contentDisposition(wanted, safeName(name) + end);
  if (requested) return requested;
  let spelled = name;
  for (const parameter of parameters) spelled += `_${decodeSegment(parameter, "path")}`;
  return `inline; filename="${safeName(spelled.endsWith(end) ? spelled : spelled + end)}"`;
};

/** What a response's file name is made of. */
interface NamedRequest {
  /** The raw segment of the identifier. */
  readonly segment: string;
  readonly parameters: ImageParameters;
  readonly asked: ImageRequest;
}
