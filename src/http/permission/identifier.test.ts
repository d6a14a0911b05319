import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { fakeDelegate } from "../../../test/fake-delegate.ts";
import { type FakeImages, fakeImages } from "../../../test/fake-images.ts";
import { Config } from "../../config/store.ts";
import type { Delegate, DelegateContext } from "../../core/delegate.ts";
import { silent } from "../../core/log.ts";
import { createServer } from "../server.ts";

const open: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

const serve = (
  delegate?: Delegate,
): { readonly app: FastifyInstance; readonly images: FakeImages } => {
  const images = fakeImages();
  const app = createServer({
    config: new Config({ "meta_identifier.transformer": "DelegateMetaIdentifierTransformer" }),
    images,
    outputs: () => ["jpg", "png", "tif"],
    log: silent,
    access: () => {},
    productVersion: "9.8.7",
    ...(delegate ? { delegate } : {}),
  });
  open.push(app);
  return { app, images };
};

/** Writes meta-identifiers as `page~identifier~n/d`, either part optional. */
const spelling = {
  deserialize_meta_identifier(_: unknown, text: unknown) {
    const [page = "", identifier, scale = ""] = String(text).split("~");
    if (identifier === undefined) return null;
    return {
      identifier,
      page_number: page === "" ? null : Number(page),
      scale_constraint: scale === "" ? null : scale.split("/").map(Number),
    };
  },
  serialize_meta_identifier(_: unknown, parts: unknown) {
    const { identifier, page_number, scale_constraint } = parts as {
      readonly identifier: string;
      readonly page_number: number | null;
      readonly scale_constraint: readonly number[] | null;
    };
    return `${page_number ?? ""}~${identifier}~${scale_constraint?.join("/") ?? ""}`;
  },
};

const picture = (segment: string): string => `/iiif/3/${segment}/full/max/0/default.jpg`;

describe("meta-identifiers parsed by the delegate", () => {
  it("name image, page and constraint, once per request", async () => {
    const { delegate, asked } = fakeDelegate(spelling);
    const { app, images } = serve(delegate);
    const answer = await app.inject(picture("2~a%2Fb.tif~1%2F2"));
    expect(answer.statusCode).toBe(200);
    expect(images.asked.known).toEqual(["a/b.tif"]);
    expect(asked).toEqual(["deserialize_meta_identifier"]);
    expect(answer.headers.link).toContain("/iiif/3/2~a%2Fb.tif~1%2F2/full/max/");
    const information = (await app.inject("/iiif/3/~a~1%2F2/info.json")).json();
    expect(information).toMatchObject({ width: 500, height: 400 });
    expect(information.id).toMatch(/\/iiif\/3\/~a~1%2F2$/);
  });

  it("leave the context without an identifier until they are parsed", async () => {
    const seen: Partial<DelegateContext>[] = [];
    const { delegate } = fakeDelegate({
      ...spelling,
      async deserialize_meta_identifier(context, text) {
        seen.push(context);
        return spelling.deserialize_meta_identifier(context, text);
      },
      pre_authorize(context) {
        seen.push(context);
        return true;
      },
    });
    await serve(delegate).app.inject(picture("2~a~1%2F2"));
    for (const key of ["identifier", "page_number", "scale_constraint"] as const)
      expect(seen[0]?.[key]).toBeUndefined();
    expect(seen[0]?.request_uri).toMatch(/2~a~1%2F2\/full/);
    expect(seen[1]).toMatchObject({ identifier: "a", page_number: 2, scale_constraint: [1, 2] });
  });

  it("are serialized by the delegate for redirects", async () => {
    const constrain = (context: Partial<DelegateContext>) =>
      context.scale_constraint?.[1] === 2 || {
        status_code: 302,
        scale_numerator: 2,
        scale_denominator: 4,
      };
    const { delegate } = fakeDelegate({ ...spelling, pre_authorize: constrain });
    const { app } = serve(delegate);
    const at = async (url: string) => {
      const { statusCode, headers } = await app.inject(url);
      return [statusCode, new URL(headers.location ?? "", "http://localhost").pathname];
    };
    expect(await at(picture("~a%20b~"))).toEqual([302, picture("~a%20b~1%2F2")]);
    expect(await at(picture("~a~2%2F4"))).toEqual([301, picture("~a~1%2F2")]);
    expect(await at("/iiif/3/2~a~3%2F3/info.json")).toEqual([301, "/iiif/3/2~a~/info.json"]);
  });

  it("take the page of the query, and report it in info.json", async () => {
    const { delegate, asked } = fakeDelegate(spelling);
    const { app } = serve(delegate);
    const { id } = (await app.inject("/iiif/3/~a~/info.json?page=2")).json();
    expect(id).toMatch(/\/iiif\/3\/2~a~$/);
    expect(asked).toEqual(["deserialize_meta_identifier", "serialize_meta_identifier"]);
  });

  it("are not redirected endlessly by a delegate that serializes what it parses", async () => {
    const { delegate } = fakeDelegate({ ...spelling, serialize_meta_identifier: () => "~a~2/4" });
    const answer = await serve(delegate).app.inject("/iiif/3/~a~2%2F4/info.json");
    expect([answer.statusCode, answer.json().width]).toEqual([200, 500]);
  });

  it("name the adjacent pages for the landing page", async () => {
    const { delegate } = fakeDelegate(spelling);
    const answer = await serve(delegate).app.inject("/static/pages.json?identifier=2~a~");
    expect(answer.json()).toMatchObject({ identifier: "a", page: 2, previous: "~a~" });
  });

  it.each([
    ["that the delegate does not know", "a", 404],
    ["with a NUL", "~a%00~", 400],
    ["that cannot be decoded", "~a%ff~", 400],
    ["beyond the longest", `~${"a".repeat(1001)}~`, 400],
    ["with a page that no answer may have", "0~a~", 500],
    ["with a constraint that no answer may have", "~a~3%2F2", 500],
  ])("are rejected %s", async (_, segment, status) => {
    const { delegate } = fakeDelegate(spelling);
    const { app, images } = serve(delegate);
    for (const url of [picture(segment), `/iiif/3/${segment}/info.json`])
      expect((await app.inject(url)).statusCode).toBe(status);
    expect(images.asked.known).toEqual([]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no"))],
    ["answers a text", () => "a"],
  ])("respond with 500 if the delegate %s", async (_, deserialize_meta_identifier) => {
    const { delegate } = fakeDelegate({ deserialize_meta_identifier });
    const { app, images } = serve(delegate);
    expect((await app.inject(picture("a"))).statusCode).toBe(500);
    const information = await app.inject("/iiif/3/a/info.json");
    expect([information.statusCode, information.json().id]).toEqual([
      500,
      expect.stringMatching(/\/iiif\/3\/a$/),
    ]);
    expect(images.asked.known).toEqual([]);
  });

  it("respond with 500 without a delegate, or without a required method", async () => {
    expect((await serve().app.inject(picture("a"))).statusCode).toBe(500);
    const { delegate } = fakeDelegate({
      deserialize_meta_identifier: spelling.deserialize_meta_identifier,
    });
    const { app } = serve(delegate);
    expect((await app.inject(picture("~a~"))).statusCode).toBe(200);
    expect((await app.inject(picture("~a~2%2F4"))).statusCode).toBe(500);
  });
});
