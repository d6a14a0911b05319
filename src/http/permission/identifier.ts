import type { MarkedSegment } from "../../access/signed-urls.ts";
import type { DelegateSession } from "../../core/delegate.ts";
import { fail } from "../../core/errors.ts";
import {
  checkedIdentifier,
  identifierSegment,
  type MetaIdentifier,
  parseIdentifier,
  quoted,
  reduceConstraint,
  segmentOfText,
  textOfSegment,
  unconstrained,
  writeIdentifier,
} from "../../core/identifier.ts";
import { metaIdentifier, metaIdentifierText } from "../../delegate/answers.ts";
import type { Exchange } from "../request/exchange.ts";
import { type NamedImage, namedBy, type QueryArguments } from "../request/query.ts";
import { redirect } from "../request/redirects.ts";
import { identifierFacts, requestFacts } from "./delegate-context.ts";
import type { IiifDeps } from "./deps.ts";

/** The dependencies for reading and writing identifiers. */
export type NamingDeps = Pick<IiifDeps, "delegate" | "identifierSyntax" | "isTransformed">;

/** The parts of an exchange that start a delegate session. */
type IdentifierRequest = Pick<Exchange, "request" | "address" | "target" | "deadline">;

/**
 * What a raw identifier segment and the `page` argument name: synchronously, unless the delegate
 * parses it. "answered" where the request was redirected to a simpler constraint. Throws
 * `malformed`, `missing` where the delegate knows no such image, and `internal` where it fails.
 */
export const resolveName = (
  exchange: Exchange,
  marked: MarkedSegment,
  query: Pick<QueryArguments, "page" | "caching">,
  deps: NamingDeps & Pick<IiifDeps, "cacheHeaders" | "identifierReader">,
): NamedImage | Promise<NamedImage | "answered"> =>
  deps.isTransformed()
    ? namedByDelegate(exchange, marked, query, deps)
    : namedBy(marked.segment, query.page, {
        reader: deps.identifierReader,
        syntax: deps.identifierSyntax(),
      });

const namedByDelegate = async (
  exchange: Exchange,
  { segment, mark }: MarkedSegment,
  { page, caching }: Pick<QueryArguments, "page" | "caching">,
  deps: NamingDeps & Pick<IiifDeps, "cacheHeaders">,
): Promise<NamedImage | "answered"> => {
  const syntax = deps.identifierSyntax();
  const text = textOfSegment(segment, syntax);
  const { id: spelled, session } = await takenApart(exchange, text, deps);
  const constraint = reduceConstraint(spelled.constraint);
  const id = { ...spelled, constraint };
  if (constraint.denominator !== spelled.constraint.denominator) {
    const simpler = await putTogether(id, session, exchange);
    // A delegate that does not write what it reads would cause endless redirects.
    if (simpler !== text) {
      const [root, version, , ...rest] = exchange.target.segments;
      const path = `/${[root, version, mark + segmentOfText(simpler, syntax), ...rest].join("/")}`;
      exchange.reply.headers(deps.cacheHeaders(caching === "bypass"));
      redirect(exchange, 301, path);
      return "answered";
    }
  }
  if (page === undefined || page === id.page || id.page !== 1 || id.first)
    return { id, segment, session };
  const paged = { ...id, page };
  const written = await putTogether(paged, session, exchange);
  session.learn(identifierFacts(paged));
  return { id: paged, segment: segmentOfText(written, syntax), session };
};

/** The raw segment of an identifier. `session` is required where the delegate writes them. */
export const segmentFor = async (
  id: MetaIdentifier,
  session: DelegateSession,
  exchange: Pick<Exchange, "deadline">,
  { identifierSyntax, isTransformed }: NamingDeps,
): Promise<string> =>
  isTransformed()
    ? segmentOfText(await putTogether(id, session, exchange), identifierSyntax())
    : identifierSegment(id, identifierSyntax());

/** What a decoded meta-identifier names. Throws as `resolveName` does. */
export const readText = async (
  exchange: IdentifierRequest,
  text: string,
  deps: NamingDeps,
): Promise<Pick<NamedImage, "id" | "session">> =>
  deps.isTransformed()
    ? takenApart(exchange, text, deps)
    : { id: parseIdentifier(encodeURIComponent(text), deps.identifierSyntax()) };

/** The decoded meta-identifier; `session` is required where the delegate writes them. */
export const writeText = async (
  id: MetaIdentifier,
  session: DelegateSession | undefined,
  exchange: Pick<Exchange, "deadline">,
  { identifierSyntax, isTransformed }: NamingDeps,
): Promise<string> =>
  isTransformed()
    ? putTogether(id, session ?? lacking(), exchange)
    : writeIdentifier(id, identifierSyntax().delimiter);

/** The identifier of the image that a raw segment names. Throws as `resolveName` does. */
export const imageOf = (
  exchange: IdentifierRequest,
  segment: string,
  deps: NamingDeps,
): string | Promise<string> =>
  deps.isTransformed()
    ? takenApart(exchange, textOfSegment(segment, deps.identifierSyntax()), deps).then(
        ({ id }) => id.identifier,
      )
    : parseIdentifier(segment, deps.identifierSyntax()).identifier;

/** Has the delegate parse a meta-identifier; its session knows the identifier from then on. */
const takenApart = async (
  exchange: IdentifierRequest,
  text: string,
  { delegate = lacking() }: NamingDeps,
): Promise<Pick<NamedImage, "id"> & { readonly session: DelegateSession }> => {
  checkedIdentifier(text);
  const { deadline, request, address, target } = exchange;
  const session = delegate.session(requestFacts({ raw: request.raw, address, target }), {
    id: request.id,
    signal: deadline.signal,
  });
  const asked = session.call("deserialize_meta_identifier", metaIdentifier, text);
  const parts = asked instanceof Promise ? await deadline.race(asked) : asked;
  if (parts === null) return fail("missing", `There is no image ${quoted(text)}.`);
  const { page_number: page, scale_constraint: scale } = parts;
  const id: MetaIdentifier = {
    identifier: checkedIdentifier(parts.identifier),
    page: page ?? 1,
    ...(page === 1 ? { first: true } : {}),
    constraint: scale === null ? unconstrained : { numerator: scale[0], denominator: scale[1] },
  };
  session.learn(identifierFacts(id));
  return { id, session };
};

const putTogether = async (
  { identifier, page, first, constraint: { numerator, denominator } }: MetaIdentifier,
  session: DelegateSession,
  { deadline }: Pick<Exchange, "deadline">,
): Promise<string> => {
  const asked = session.call("serialize_meta_identifier", metaIdentifierText, {
    identifier,
    page_number: page !== 1 || first ? page : null,
    scale_constraint: numerator === denominator ? null : [numerator, denominator],
  });
  return asked instanceof Promise ? deadline.race(asked) : asked;
};

const lacking = (): never =>
  fail(
    "internal",
    "meta_identifier.transformer is DelegateMetaIdentifierTransformer, but the server was started without a delegate. Restart it with delegate_script.enabled or delegate.http.url.",
  );
