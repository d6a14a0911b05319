import fastify, { type FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { fakeImages } from "../../../test/fake-images.ts";
import { Config, type Snapshot } from "../../config/store.ts";
import { ServerError } from "../../core/errors.ts";
import { parseTarget } from "../request/target.ts";
import { registerLanding } from "./routes.ts";

const picture = { identifier: "a folder/chart.png", title: "chart.png" };

const serve = (values: Snapshot, base = "http://example.org"): FastifyInstance => {
  const app = fastify();
  onTestFinished(() => app.close());
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof ServerError && error.failure === "missing" ? 404 : 403).send(),
  );
  registerLanding(app, {
    deps: {
      config: new Config(values),
      productVersion: "1.2.3",
      gallery: async () => [picture],
      images: fakeImages(),
    },
    exchangeOf: (request) => {
      const { url } = request;
      const { signal } = new AbortController();
      return {
        request,
        address: { base, client: "" },
        target: parseTarget(url),
        peerTrusted: false,
        context: (identifier) => ({ requestId: "1", identifier, signal }),
        deadline: { signal, reason: undefined, race: (work) => work },
      };
    },
  });
  return app;
};

test("the page shows the endpoints, and runs no script but its own", async () => {
  const app = serve({ "endpoint.iiif.2.enabled": false });
  const { statusCode, headers, body } = await app.inject("/");
  expect(statusCode).toBe(200);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(headers["cache-control"]).toBe("no-cache");
  expect(headers["content-security-policy"]).toContain("script-src 'self';");
  expect(body).toContain("1.2.3");
  expect(body).toContain("/iiif/3");
  expect(body).not.toContain("/iiif/2");
  expect(body).not.toMatch(/<script>|\sstyle=|\son[a-z]+=|https?:/);
});

test("serves every file that the page names, with its type, cacheable for a month", async () => {
  const app = serve({});
  const { body } = await app.inject("/");
  const names = [...body.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThanOrEqual(5);
  for (const name of names) {
    const { statusCode, headers, rawPayload } = await app.inject(`/${name}`);
    expect([name, statusCode]).toEqual([name, 200]);
    expect(headers["cache-control"]).toBe("public, max-age=2592000");
    expect(headers["content-type"]).toMatch(
      /^(text\/(css|javascript);charset=UTF-8|image\/svg\+xml)$/,
    );
    expect(rawPayload.length).toBeGreaterThan(100);
  }
});

test.each([
  "/static/",
  "/static/package.json",
  "/static/../landing.ts",
  "/static/..%2F..%2Fpackage.json",
  "/static/images/home_rest.png",
  "/static/constructor",
  "/static/landing.js%00",
])("serves no other file by %s", async (path) => {
  expect((await serve({}).inject(path)).statusCode).toBe(404);
});

test("lists images only where that is enabled", async () => {
  const off = (await serve({}).inject("/static/landing.json")).json();
  expect(off).toMatchObject({ listed: false, pictures: [] });
  const on = await serve({ "endpoint.landing.list": true }).inject("/static/landing.json");
  expect(on.json()).toEqual({
    version: "1.2.3",
    endpoints: [
      { path: "/iiif/1", label: "Image API 1" },
      { path: "/iiif/2", label: "Image API 2" },
      { path: "/iiif/3", label: "Image API 3" },
    ],
    listed: true,
    pictures: [picture],
  });
  expect(on.headers["cache-control"]).toBe("no-cache");
});

test.each([
  ["a.tif", {}, { identifier: "a.tif", page: 1, pages: 2, next: "a.tif;2" }],
  ["a.tif;2", {}, { identifier: "a.tif", page: 2, pages: 2, previous: "a.tif" }],
  ["a.tif;1:2", {}, { identifier: "a.tif", page: 1, pages: 2, next: "a.tif;2;1:2" }],
  ["a+b & c/d.tif", {}, { identifier: "a+b & c/d.tif", page: 1, next: "a+b & c/d.tif;2" }],
  [
    "a.tif~2",
    { "meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter": "~" },
    { identifier: "a.tif", page: 2, previous: "a.tif" },
  ],
])("names the pages before and after %s", async (identifier, values, expected) => {
  const path = `/static/pages.json?identifier=${encodeURIComponent(identifier)}`;
  const answer = await serve(values).inject(path);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject(expected);
  for (const side of ["previous", "next"]) expect(side in answer.json()).toBe(side in expected);
});

test("names no pages of a missing page or image", async () => {
  for (const identifier of ["a.tif;3", "missing"])
    expect((await serve({}).inject(`/static/pages.json?identifier=${identifier}`)).statusCode).toBe(
      404,
    );
});

test("uses the path prefix of a proxy in its links", async () => {
  const { body } = await serve({}, "https://example.org/pictures").inject("/");
  expect(body).toContain('<base href="/pictures/">');
  expect((await serve({}).inject("/")).body).not.toContain("<base");
});

test("answers nothing when it is disabled", async () => {
  const app = serve({ "endpoint.landing.enabled": false });
  for (const path of [
    "/",
    "/static/landing.json",
    "/static/pages.json?identifier=a",
    "/static/landing.js",
  ])
    expect((await app.inject(path)).statusCode).toBe(403);
});
