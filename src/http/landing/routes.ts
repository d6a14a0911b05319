import type { FastifyInstance, FastifyRequest } from "fastify";
import { defineKeys } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { identifierReadingKeys, identifierSyntax, isTransformed } from "../../iiif/identifiers.ts";
import { endpointKeys, versions } from "../../iiif/versions.ts";
import type { HttpDeps } from "../request/deps.ts";
import { readAsset } from "./assets.ts";
import { seenOf } from "./list.ts";
import { type LandingEndpoint, landingPage } from "./page.ts";
import { type PagesExchange, pagesAround } from "./pages.ts";

/** The page at `/`. */
export const landingKeys = defineKeys({
  "endpoint.landing.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether `/` shows a page that describes the server, with a viewer for its images.",
  },
  "endpoint.landing.list": {
    type: "boolean",
    default: false,
    doc: "Whether the page at `/` lists the images of FilesystemSource (at most 500) to everyone who opens it. Images that access rules or the delegate's `pre_authorize` refuse to a client are left out.",
  },
});

/** The dependencies of the landing page. */
export interface LandingParts {
  readonly deps: Pick<
    HttpDeps,
    "config" | "productVersion" | "gallery" | "images" | "delegate" | "policy" | "auth"
  >;
  readonly exchangeOf: (request: FastifyRequest) => PagesExchange;
}

/** Serves `/` and `/static/*`; the viewer and its files come from the package. */
export const registerLanding = (app: FastifyInstance, { deps, exchangeOf }: LandingParts): void => {
  const settings = deps.config.view(landingKeys);
  const switches = deps.config.view(endpointKeys);
  const identifiers = deps.config.view(identifierReadingKeys);
  const version = deps.productVersion;
  const refuseWhenDisabled = (): void => {
    if (!settings()["endpoint.landing.enabled"])
      fail("denied", "The landing page is disabled: endpoint.landing.enabled is false");
  };
  const endpoints = (): readonly LandingEndpoint[] =>
    versions
      .filter(({ number }) => switches()[`endpoint.iiif.${number}.enabled`])
      .map(({ number }) => ({ path: `/iiif/${number}`, label: `Image API ${number}` }));

  app.get("/", async (request, reply) => {
    refuseWhenDisabled();
    const prefix = new URL(exchangeOf(request).address.base).pathname;
    return reply
      .header("cache-control", "no-cache")
      .header("content-security-policy", policy)
      .header("referrer-policy", "same-origin")
      .type("text/html; charset=utf-8")
      .send(landingPage({ version, endpoints: endpoints(), prefix }));
  });

  app.get("/static/landing.json", async (request, reply) => {
    refuseWhenDisabled();
    const gallery = settings()["endpoint.landing.list"] ? deps.gallery : undefined;
    const listed = gallery !== undefined;
    const pictures = gallery ? await seenOf(await gallery(), exchangeOf(request), deps) : [];
    return reply
      .header("cache-control", "no-cache")
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ version, endpoints: endpoints(), listed, pictures }));
  });

  app.get("/static/pages.json", async (request, reply) => {
    refuseWhenDisabled();
    const pages = await pagesAround(exchangeOf(request), {
      ...deps,
      identifierSyntax: () => identifierSyntax(identifiers()),
      isTransformed: () => isTransformed(identifiers()),
    });
    return reply
      .header("cache-control", "no-cache")
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(pages));
  });

  app.get<{ Params: { "*": string } }>("/static/*", async (request, reply) => {
    refuseWhenDisabled();
    const asset = await readAsset(request.params["*"]);
    if (asset === undefined) return fail("missing", "There is no file of this name here.");
    return reply
      .header("cache-control", "public, max-age=2592000")
      .type(asset.type)
      .send(asset.bytes);
  });
};

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
