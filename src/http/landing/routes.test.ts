import fastify, { type FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { fakeImages } from "../../../test/fake-images.ts";
import { Config, type Snapshot } from "../../config/store.ts";
import { fail } from "../../core/errors.ts";
import type { Gallery } from "../../gallery/gallery.ts";
import { answerTo, messageFor } from "../request/errors.ts";
import { parseTarget } from "../request/target.ts";
import { type LandingParts, registerLanding } from "./routes.ts";

const chart = { kind: "image", name: "chart.png", identifier: "a folder/chart.png" } as const;
const folder = { kind: "folder", name: "a folder", path: "a folder" } as const;

/** What a gallery of the folder `a folder`, with 100 entries that were looked at, was asked. */
const asked: unknown[] = [];

const gallery: Gallery = {
  isListable: true,
  async list(path, { after, max }) {
    asked.push([path, after, max]);
    if (path === "a folder") return { entries: [chart] };
    if (path !== "") return fail("missing", `There is no folder '${path}'.`);
    if (after === "text files") return { entries: [chart] };
    return { entries: [folder], next: "text files" };
  },
  async search(text, { from, max }) {
    asked.push([text, from, max]);
    if (text === "reading") return { entries: [], next: 7, state: "reading" };
    return { entries: text === "chart" ? [chart] : [], state: "read" };
  },
  close() {},
};

const serve = (
  values: Snapshot,
  base = "http://example.org",
  parts: Partial<LandingParts["deps"]> = { gallery },
): FastifyInstance => {
  asked.length = 0;
  const app = fastify();
  onTestFinished(() => app.close());
  app.setErrorHandler((error, _request, reply) => {
    const { status } = answerTo(error);
    return reply.code(status).send({ message: messageFor(error) });
  });
  registerLanding(app, {
    deps: {
      config: new Config(values),
      productVersion: "1.2.3",
      images: fakeImages(),
      ...parts,
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

const assetsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/"(static\/[^"]+)"/g)].map(([, name]) => name ?? "")),
];

test("serves every file that the page names, with its type, cacheable for a month", async () => {
  const app = serve({});
  const names = assetsIn((await app.inject("/")).body);
  expect(names.length).toBeGreaterThanOrEqual(15);
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

test("serves every module that another one imports", async () => {
  const app = serve({});
  const scripts = assetsIn((await app.inject("/")).body).filter((name) => /\w+\.js$/.test(name));
  for (const script of scripts.filter((name) => !name.includes("openseadragon"))) {
    const { body } = await app.inject(`/${script}`);
    for (const [, name] of body.matchAll(/from "\.\/([^"]+)"/g))
      expect(scripts).toContain(script.replace(/[^/]+$/, name ?? ""));
  }
});

test("has files under another folder checked each time", async () => {
  const { statusCode, headers } = await serve({}).inject("/static/0123456789ab/landing.js");
  expect(statusCode).toBe(200);
  expect(headers["cache-control"]).toBe("no-cache");
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

const listing = { "endpoint.landing.list": true };

test("says what the server offers", async () => {
  const off = (await serve({}).inject("/static/landing.json")).json();
  expect(off).toMatchObject({ listed: false, searched: false, presentation: false, viewers: [] });
  const on = await serve(listing).inject("/static/landing.json");
  expect(on.json()).toEqual({
    version: "1.2.3",
    base: "http://example.org",
    endpoints: [
      { path: "/iiif/1", label: "Image API 1" },
      { path: "/iiif/2", label: "Image API 2" },
      { path: "/iiif/3", label: "Image API 3" },
    ],
    listed: true,
    listable: true,
    searched: true,
    presentation: false,
    viewers: [],
  });
  expect(on.headers["cache-control"]).toBe("private, no-cache");
  const unsearched = { ...listing, "endpoint.landing.max_searched": 0 };
  expect((await serve(unsearched).inject("/static/landing.json")).json().searched).toBe(false);
  const unlistable = await serve(listing, "http://example.org", {}).inject("/static/landing.json");
  expect(unlistable.json()).toMatchObject({ listed: true, listable: false, searched: false });
});

test("names viewers where there are manifests for them", async () => {
  const viewers = {
    "endpoint.presentation.enabled": true,
    "endpoint.landing.viewers": ["My_Viewer=https://v.example/?m={manifest}", "x"],
  };
  const told = await serve(viewers).inject("/static/landing.json");
  expect(told.json()).toMatchObject({
    presentation: true,
    viewers: [{ label: "My Viewer", template: "https://v.example/?m={manifest}" }],
  });
});

test("lists a folder in pages, without what the source's cursor says", async () => {
  const app = serve(listing);
  const first = await app.inject("/static/gallery.json?max=2");
  expect(first.headers["cache-control"]).toBe("private, no-cache");
  expect(first.json()).toEqual({ entries: [folder], next: expect.stringMatching(/^[\w-]+$/) });
  expect(first.body).not.toContain("text files");
  expect(asked).toEqual([["", undefined, 2]]);
  const after = first.json().next;
  const second = await app.inject(`/static/gallery.json?max=2&after=${after}`);
  expect(second.json()).toEqual({ entries: [chart] });
  expect(asked.at(-1)).toEqual(["", "text files", 2]);
  const elsewhere = await app.inject(`/static/gallery.json?folder=a+folder&after=${after}`);
  expect(elsewhere.statusCode).toBe(400);
});

test("fills a page from several parts of a folder", async () => {
  const page = await serve(listing).inject("/static/gallery.json");
  expect(page.json()).toEqual({ entries: [folder, chart] });
});

test("searches, and says whether all names were searched", async () => {
  const app = serve(listing);
  expect((await app.inject("/static/search.json?q=chart")).json()).toEqual({
    entries: [chart],
    complete: true,
  });
  const reading = (await app.inject("/static/search.json?q=reading")).json();
  expect(reading).toMatchObject({ entries: [], complete: false, reason: "reading" });
  await app.inject(`/static/search.json?q=reading&after=${reading.next}`);
  expect(asked.at(-1)).toEqual(["reading", 7, 60]);
  expect((await app.inject(`/static/search.json?q=chart&after=${reading.next}`)).statusCode).toBe(
    400,
  );
});

test("shows the first images of a folder", async () => {
  const cover = await serve(listing).inject("/static/cover.json?folder=a+folder");
  expect(cover.json()).toEqual({ images: [chart] });
  const none = await serve(listing).inject("/static/cover.json?folder=nothing");
  expect(none.json()).toEqual({ images: [] });
});

test("writes identifiers as they have to be in URLs", async () => {
  const odd = { kind: "image", name: "b;2", identifier: "a/b;2" } as const;
  const parts = { gallery: { ...gallery, list: async () => ({ entries: [odd] }) } };
  const page = await serve(listing, "http://example.org", parts).inject("/static/gallery.json");
  expect(page.json().entries).toEqual([{ ...odd, identifier: "a/b;2;1" }]);
});

test.each([
  ["gallery.json?folder=nothing", 404, "There is no folder 'nothing'."],
  [`gallery.json?folder=${"a".repeat(1_001)}`, 400, "at most 1000 characters"],
  ["gallery.json?folder=a%00b", 400, "NUL"],
  ["gallery.json?after=text+files", 400, "Start again"],
  [`gallery.json?after=${"a".repeat(5_000)}`, 400, "at most 4096 characters"],
  ["gallery.json?max=0", 400, "from 1 to 200"],
  ["gallery.json?max=1e9", 400, "from 1 to 200"],
  ["search.json", 400, "expected words"],
  ["search.json?q=+", 400, "expected words"],
  [`search.json?q=${"a".repeat(201)}`, 400, "at most 200 characters"],
  ["pages.json?identifier=a&from=x", 400, "expected an integer"],
  ["pages.json?identifier=a&from=1&max=1000", 400, "from 1 to 50"],
])("refuses %s with %i", async (path, status, message) => {
  const { statusCode, body } = await serve(listing).inject(`/static/${path}`);
  expect(statusCode).toBe(status);
  expect(body).toContain(message);
});

test("lists nothing unless that is enabled, nor where the source cannot", async () => {
  for (const path of ["gallery.json", "search.json?q=a", "cover.json?folder=a"]) {
    expect((await serve({}).inject(`/static/${path}`)).statusCode).toBe(403);
    const unlistable = serve(listing, "http://example.org", {});
    expect((await unlistable.inject(`/static/${path}`)).statusCode).toBe(501);
  }
  const unsearched = serve({ ...listing, "endpoint.landing.max_searched": 0 });
  expect((await unsearched.inject("/static/search.json?q=a")).statusCode).toBe(403);
});

test("lists pages from a number on", async () => {
  const listed = async (query: string) =>
    (await serve({}).inject(`/static/pages.json?identifier=a.tif${query}`)).json().listed;
  const pages = [
    { page: 1, identifier: "a.tif" },
    { page: 2, identifier: "a.tif;2" },
  ];
  expect(await listed("")).toBeUndefined();
  expect(await listed("&from=0")).toEqual(pages);
  expect(await listed("&from=1&max=1")).toEqual(pages.slice(0, 1));
  expect(await listed("&from=2")).toEqual(pages.slice(1));
  expect(await listed("&from=3")).toBeUndefined();
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
    "/static/gallery.json",
    "/static/search.json?q=a",
    "/static/pages.json?identifier=a",
    "/static/landing.js",
  ])
    expect((await app.inject(path)).statusCode).toBe(403);
});
