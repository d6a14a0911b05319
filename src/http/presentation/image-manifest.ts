import type { MarkedSegment } from "../../access/signed-urls.ts";
import { identifierSegment, type MetaIdentifier, parseIdentifier } from "../../core/identifier.ts";
import { pageAt } from "../../iiif/offer.ts";
import {
  imageBehavior,
  imageDescription,
  ownCanvases,
  type PresentedImage,
  shownPages,
} from "../../presentation/canvases.ts";
import { configuredDescription } from "../../presentation/keys.ts";
import type { CanvasView } from "../../presentation/views.ts";
import { audienceOf } from "../permission/audience.ts";
import { gateOf } from "../permission/gate.ts";
import { segmentFor } from "../permission/identifier.ts";
import type { Exchange } from "../request/exchange.ts";
import type { NamedImage } from "../request/query.ts";
import type { Made, PresentationDeps } from "./deps.ts";
import { contextOf, embeddedIn, entryFor, placeOf, sideFileOf } from "./described.ts";
import { refuseTooMany } from "./refusals.ts";
import { urisFor } from "./uris.ts";
import { eitherOf, independent, manifestAccess } from "./visibility.ts";

/**
 * The manifest of an image, with a canvas for each page; "answered" if the delegate redirected the
 * request. Throws `Refused`, `missing` …
 */
export const imageManifest = async (
  exchange: Exchange,
  named: NamedImage,
  marked: MarkedSegment,
  deps: PresentationDeps,
): Promise<Made | "answered"> => {
  const { id } = named;
  const { identifier } = id;
  const { deadline } = exchange;
  const access = manifestAccess(deps, exchange, identifier, marked);
  const { mark } = marked;
  const gate = deps.delegate && gateOf(deps.delegate, exchange, named, { ...deps, mark });
  if (gate && (await gate.preAuthorize()) === "answered") return "answered";
  const context = exchange.context(identifier, gate?.session);
  const known = await deadline.race(deps.images.know(context, "use"));
  pageAt(known.info, id);
  const { folder, name } = placeOf(identifier);
  const file = await sideFileOf(exchange, deps, folder);
  const read = contextOf(exchange, identifier, gate?.session);
  const embedded = await deadline.race(embeddedIn(read, known, access.isProtected, deps));
  const uris = urisFor(exchange, deps);
  const image: Omit<PresentedImage, "address"> = {
    name: name || identifier,
    info: known.info,
    embedded: { ...configuredDescription(deps.settings()), ...embedded },
    entry: entryFor(file, name),
    limits: deps.limits(),
    constraint: id.constraint,
    confinement: access.permission.confinement,
    only: id.page !== 1 || id.first ? id.page : undefined,
  };
  const pages = shownPages(image);
  refuseTooMany(pages.length, `The image '${identifier}'`, deps.settings());
  const segments = await segmentsOf(pages, exchange, named, deps);
  const address = (page: number) => uris.page(mark + (segments.get(page) ?? named.segment));
  const own = exchange.address.identifier ?? named.segment;
  const permission = audienceOf(
    access.permission,
    gate?.session,
    "information",
    deps.clientCache(),
  );
  const { viewingDirection } = image.entry ?? {};
  return {
    json: deps.presentation.manifest({
      id: uris.manifest(mark + own),
      ...imageDescription(image),
      behavior: imageBehavior(image),
      ...(viewingDirection ? { viewingDirection } : {}),
      canvases: ownCanvases({ ...image, address }) as readonly [CanvasView, ...CanvasView[]],
    }),
    dependence: eitherOf(independent, permission),
  };
};

/** The public segments of the pages that are shown, by page. */
const segmentsOf = async (
  pages: readonly number[],
  exchange: Exchange,
  { id, segment, session }: NamedImage,
  deps: PresentationDeps,
): Promise<ReadonlyMap<number, string>> => {
  const segments = new Map<number, string>();
  const { identifier: forwarded } = exchange.address;
  for (const page of pages) {
    const isOwn = page === id.page;
    segments.set(
      page,
      isOwn
        ? (forwarded ?? segment)
        : await segmentOfPage(page, { forwarded, id, session }, { exchange, deps }),
    );
  }
  return segments;
};

/** Another page than the one that the URL names; of a forwarded identifier, its own page. */
const segmentOfPage = async (
  page: number,
  {
    forwarded,
    id,
    session,
  }: {
    readonly forwarded: string | undefined;
    readonly id: MetaIdentifier;
    readonly session: NamedImage["session"] | undefined;
  },
  { exchange, deps }: { readonly exchange: Exchange; readonly deps: PresentationDeps },
): Promise<string> => {
  const { first: _, ...unnumbered } = id;
  const paged: MetaIdentifier = { ...unnumbered, page };
  if (session) return segmentFor(paged, session, exchange, deps);
  const syntax = deps.identifierSyntax();
  if (forwarded === undefined) return identifierSegment(paged, syntax);
  return identifierSegment(
    { ...paged, identifier: parseIdentifier(forwarded, syntax).identifier },
    syntax,
  );
};
