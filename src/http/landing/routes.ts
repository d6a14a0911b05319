import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fail } from "../../core/errors.ts";
import { identifierReadingKeys, identifierSyntax, isTransformed } from "../../iiif/identifiers.ts";
import { endpointKeys, versions } from "../../iiif/versions.ts";
import { presentationKeys } from "../../presentation/keys.ts";
import type { HttpDeps } from "../request/deps.ts";
import { assetsVersion, readAsset } from "./assets.ts";
import { firstSeen } from "./covers.ts";
import { createCursors } from "./cursors.ts";
import { landingFacts } from "./facts.ts";
import { landingKeys } from "./keys.ts";
import { type ListingDeps, listedPage, unlisted } from "./listing.ts";
import { type LandingEndpoint, landingPage } from "./page.ts";
import { type PagesExchange, pagesAround } from "./pages.ts";
import { maxCharacters, textParameter } from "./parameters.ts";
import { searchedPage } from "./searching.ts";

/** The dependencies of the landing page. */
export interface LandingParts {
  readonly deps: Pick<
    HttpDeps,
    | "config"
    | "productVersion"
    | "gallery"
    | "cursorSecret"
    | "images"
    | "delegate"
    | "policy"
    | "auth"
  >;
  readonly exchangeOf: (request: FastifyRequest) => PagesExchange;
}

/** Images on the cover of a folder. */
const onCover = 3;

/** Serves `/` and `/static/*`; the viewer and its files come from the package. */
export const registerLanding = (app: FastifyInstance, { deps, exchangeOf }: LandingParts): void => {
  const settings = deps.config.view(landingKeys);
  const manifests = deps.config.view(presentationKeys);
  const switches = deps.config.view(endpointKeys);
  const identifiers = deps.config.view(identifierReadingKeys);
  const version = deps.productVersion;
  const cursors = createCursors(deps.cursorSecret ?? randomBytes(32).toString("hex"));
  const seeing = {
    ...deps,
    identifierSyntax: () => identifierSyntax(identifiers()),
    isTransformed: () => isTransformed(identifiers()),
  };
  const refuseWhenDisabled = (): void => {
    if (!settings()["endpoint.landing.enabled"])
      fail("denied", "The landing page is disabled: endpoint.landing.enabled is false");
  };
  const endpoints = (): readonly LandingEndpoint[] =>
    versions
      .filter(({ number }) => switches()[`endpoint.iiif.${number}.enabled`])
      .map(({ number }) => ({ path: `/iiif/${number}`, label: `Image API ${number}` }));
  const listing = (): ListingDeps => {
    if (!settings()["endpoint.landing.list"])
      fail("denied", "Images are not listed: endpoint.landing.list is false");
    return deps.gallery ? { ...seeing, gallery: deps.gallery, cursors } : unlisted();
  };

  /** A route with a JSON response that is private and not cached. */
  const getJson = (path: string, answer: (exchange: PagesExchange) => unknown): void => {
    app.get(path, async (request, reply) => {
      refuseWhenDisabled();
      return sendJson(reply, await answer(exchangeOf(request)));
    });
  };

  app.get("/", async (request, reply) => {
    refuseWhenDisabled();
    const prefix = new URL(exchangeOf(request).address.base).pathname;
    const assets = await assetsVersion();
    return reply
      .header("cache-control", "no-cache")
      .header("content-security-policy", policy)
      .header("referrer-policy", "same-origin")
      .type("text/html; charset=utf-8")
      .send(landingPage({ version, assets, endpoints: endpoints(), prefix }));
  });

  getJson("/static/landing.json", ({ address: { base } }) =>
    landingFacts(settings(), {
      ...{ version, base, endpoints: endpoints() },
      listable: deps.gallery?.isListable ?? false,
      presentation: manifests()["endpoint.presentation.enabled"],
    }),
  );

  getJson("/static/gallery.json", (exchange) => listedPage(exchange, listing()));

  getJson("/static/search.json", (exchange) => {
    const searched = listing();
    if (settings()["endpoint.landing.max_searched"] === 0)
      fail("denied", "Names are not searched: endpoint.landing.max_searched is 0");
    return searchedPage(exchange, searched);
  });

  getJson("/static/cover.json", async (exchange) => {
    const folder = textParameter(exchange.target.query, "folder", maxCharacters.folder);
    return { images: await firstSeen(folder, onCover, exchange, listing()) };
  });

  getJson("/static/pages.json", (exchange) => pagesAround(exchange, seeing));

  app.get<{ Params: { "*": string } }>("/static/*", async (request, reply) => {
    refuseWhenDisabled();
    const [, folder, name = ""] = /^(?:([\da-f]{12})\/)?(.+)$/.exec(request.params["*"]) ?? [];
    const asset = await readAsset(name);
    if (asset === undefined) return fail("missing", "There is no file of this name here.");
    const isCurrent = folder === (await assetsVersion());
    return reply
      .header("cache-control", isCurrent ? "public, max-age=2592000" : "no-cache")
      .type(asset.type)
      .send(asset.bytes);
  });
};

const sendJson = (reply: FastifyReply, answer: unknown): FastifyReply =>
  reply
    .header("cache-control", "private, no-cache")
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(answer));

/** Everything from this server, nothing inline; images being loaded may be blob: URLs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");
