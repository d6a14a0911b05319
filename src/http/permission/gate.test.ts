import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { fakeDelegate } from "../../../test/fake-delegate.ts";
import { type FakeImages, fakeImages } from "../../../test/fake-images.ts";
import { Config } from "../../config/store.ts";
import type { DelegateContext } from "../../core/delegate.ts";
import { silent } from "../../core/log.ts";
import { createServer } from "../server.ts";

const picture = "/iiif/3/a/full/max/0/default.jpg";
const information = "/iiif/3/a/info.json";

const open: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

interface Gated {
  readonly app: FastifyInstance;
  readonly images: FakeImages;
  readonly asked: readonly string[];
}

const start = (methods: Parameters<typeof fakeDelegate>[0]): Gated => {
  const { delegate, asked } = fakeDelegate(methods);
  const images = fakeImages();
  const app = createServer({
    config: new Config({ "endpoint.iiif.1.enabled": true }),
    images,
    outputs: () => ["jpg", "png", "tif"],
    log: silent,
    access: () => {},
    productVersion: "9.8.7",
    delegate,
  });
  open.push(app);
  return { app, images, asked };
};

describe("pre_authorize and authorize", () => {
  it("are called in order before any part of the image is sent", async () => {
    const order: string[] = [];
    const note = (name: string) => () => {
      order.push(name);
      return true;
    };
    const { app, images } = start({
      pre_authorize: note("pre_authorize"),
      authorize: note("authorize"),
    });
    const answer = await app.inject(picture);
    expect([answer.statusCode, order]).toEqual([200, ["pre_authorize", "authorize"]]);
    expect(images.asked.drawn).toEqual(["a"]);
  });

  it("may be promises", async () => {
    const { app } = start({ pre_authorize: async () => true, authorize: async () => false });
    expect((await app.inject(picture)).statusCode).toBe(403);
  });

  it("allow everyone if the delegate has neither", async () => {
    const { app } = start({});
    expect((await app.inject(picture)).statusCode).toBe(200);
    expect((await app.inject(information)).statusCode).toBe(200);
  });

  it.each([
    ["GET", picture],
    ["HEAD", picture],
    ["GET", information],
    ["HEAD", information],
    ["GET", "/iiif/2/a/full/max/0/default.jpg"],
    ["GET", "/iiif/1/a/full/full/0/native.jpg"],
    ["GET", "/iiif/1/a/info.json"],
    ["GET", "/static/pages.json?identifier=a"],
  ] as const)("refuse %s %s without reading the image", async (method, url) => {
    const { app, images } = start({ pre_authorize: () => false });
    const answer = await app.inject({ method, url });
    expect(answer.statusCode).toBe(403);
    expect(answer.headers["cache-control"]).toBe("no-cache, must-revalidate");
    expect(answer.headers.etag).toBeUndefined();
    expect(images.asked).toMatchObject({ known: [], drawn: [] });
  });

  it("are called before a conditional request is answered", async () => {
    let allowed = true;
    const { app } = start({ authorize: () => allowed });
    const { etag } = (await app.inject(picture)).headers;
    const again = { url: picture, headers: { "if-none-match": String(etag) } };
    expect((await app.inject(again)).statusCode).toBe(304);
    allowed = false;
    expect((await app.inject(again)).statusCode).toBe(403);
  });

  it("apply to info.json in part: authorize is for images only", async () => {
    const { app, asked } = start({ pre_authorize: () => true, authorize: () => false });
    expect((await app.inject(information)).statusCode).toBe(200);
    expect(asked).toEqual(["pre_authorize"]);
  });

  it.each([picture, information])("send a 401 challenge for %s", async (url) => {
    const challenge = 'Bearer realm="museum"';
    const { app } = start({ pre_authorize: () => ({ status_code: 401, challenge }) });
    const answer = await app.inject(url);
    expect([answer.statusCode, answer.headers["www-authenticate"]]).toEqual([401, challenge]);
  });

  it("respond with any other status the delegate returns", async () => {
    const { app } = start({ authorize: () => ({ status_code: 451 }) });
    expect((await app.inject(picture)).statusCode).toBe(451);
  });

  it("redirect to another address", async () => {
    const location = "https://login.example.org/?back=1";
    const { app } = start({ pre_authorize: () => ({ status_code: 302, location }) });
    const { statusCode, headers } = await app.inject(information);
    expect([statusCode, headers.location]).toEqual([302, location]);
    expect(headers["cache-control"]).toBe("no-cache, must-revalidate");
  });

  it.each([
    ["/iiif/3/a%2Fb/info.json?x=1", "/iiif/3/a%2Fb;1:2/info.json?x=1"],
    ["/iiif/2/a;2/full/max/0/default.jpg", "/iiif/2/a;2;1:2/full/max/0/default.jpg"],
  ])("redirect %s to a smaller size", async (url, target) => {
    const { app } = start({
      pre_authorize: ({ scale_constraint: [n, d] = [1, 1] }) =>
        n === d ? { status_code: 303, scale_numerator: 2, scale_denominator: 4 } : true,
    });
    const { statusCode, headers } = await app.inject(url);
    expect([statusCode, headers.location]).toEqual([303, `http://localhost${target}`]);
    expect((await app.inject(target)).statusCode).toBe(200);
  });

  it.each([null, undefined, "yes", 1, {}, { status_code: 302 }, { status_code: 401 }])(
    "respond with 500 to an invalid result: %s",
    async (answer) => {
      const { app, images } = start({ pre_authorize: () => answer });
      expect((await app.inject(picture)).statusCode).toBe(500);
      expect(images.asked.drawn).toEqual([]);
    },
  );

  it("respond with 500 when they throw", async () => {
    const { app, images } = start({
      authorize: () => {
        throw new Error("the database is at 10.0.0.7");
      },
    });
    const answer = await app.inject(picture);
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain("10.0.0.7");
    expect(images.asked.drawn).toEqual([]);
  });
});

describe("redactions", () => {
  const redaction = { x: 100, y: 50, width: 20, height: 10 };

  it("are requested once, when the image is known and before authorize", async () => {
    const seen: unknown[] = [];
    const { app, asked } = start({
      redactions: ({ full_size, page_count, resulting_size }) => {
        seen.push({ full_size, page_count, resulting_size });
        return [];
      },
      authorize: () => true,
    });
    expect((await app.inject("/iiif/3/a/full/500,/0/default.jpg")).statusCode).toBe(200);
    expect(asked).toEqual(["redactions", "authorize"]);
    const size = { width: 1000, height: 800 };
    const resulting_size = { width: 500, height: 400 };
    expect(seen).toEqual([{ full_size: size, page_count: 2, resulting_size }]);
  });

  it("are not requested for info.json", async () => {
    const { app, asked } = start({ redactions: () => [redaction] });
    expect((await app.inject(information)).statusCode).toBe(200);
    expect(asked).toEqual([]);
  });

  it("change the derivative where they touch the response", async () => {
    let answer: unknown = [redaction];
    const { app } = start({ redactions: () => answer });
    const tagOf = async (url: string) => (await app.inject(url)).headers.etag;
    const far = "/iiif/3/a/600,400,256,256/max/0/default.jpg";
    const [one, beside] = [await tagOf(picture), await tagOf(far)];
    answer = [{ ...redaction, width: 21 }];
    const [other, besideToo] = [await tagOf(picture), await tagOf(far)];
    answer = null;
    expect(new Set([one, other, await tagOf(picture)]).size).toBe(3);
    expect([beside, besideToo]).toEqual([await tagOf(far), await tagOf(far)]);
  });

  it("are passed to authorize where they touch the response", async () => {
    const seen: unknown[] = [];
    const { app } = start({
      redactions: () => [redaction, { ...redaction, x: 900 }],
      authorize: ({ operations }) => {
        seen.push(...(operations ?? []));
        return true;
      },
    });
    await app.inject("/iiif/3/a/0,0,200,200/max/0/default.png");
    expect(seen).toEqual([
      { class: "CropByPixels", x: 0, y: 0, width: 200, height: 200 },
      { class: "Redaction", ...redaction },
      expect.objectContaining({ class: "Encode" }),
    ]);
  });

  it.each([
    ["what is no list", () => redaction],
    ["a text", () => "none"],
    ["true", () => true],
    ["numbers as texts", () => [{ ...redaction, x: "100" }]],
    ["nothing in one of them", () => [redaction, null]],
    ["a rectangle without a width", () => [{ x: 1, y: 2, height: 3 }]],
    ["a rectangle without an area", () => [{ ...redaction, height: 0 }]],
    ["halves of pixels", () => [{ ...redaction, y: 0.5 }]],
    ["places before the page", () => [{ ...redaction, x: -1 }]],
    ["no numbers", () => [{ ...redaction, x: Number.NaN }]],
    ["too many", () => Array.from({ length: 1_001 }, () => redaction)],
    [
      "an exception",
      () => {
        throw new Error("the database is at 10.0.0.7");
      },
    ],
    ["a rejected promise", async () => Promise.reject(new Error("the database is at 10.0.0.7"))],
  ])("respond with 500, and send nothing of the image, %s", async (_, answer) => {
    for (const method of ["GET", "HEAD"] as const) {
      const { app, images, asked } = start({ redactions: answer, authorize: () => true });
      const { statusCode, body, headers } = await app.inject({ method, url: picture });
      expect([statusCode, headers.etag, images.asked.drawn]).toEqual([500, undefined, []]);
      expect(body).not.toContain("10.0.0.7");
      expect(asked).toEqual(["redactions"]);
    }
  });

  it.each([[[]], [null], [undefined]])("that are empty (%j) change nothing", async (none) => {
    const { app } = start({ redactions: () => none });
    expect((await app.inject(picture)).statusCode).toBe(200);
  });
});

describe("extra keys of info.json", () => {
  const rights = "https://creativecommons.org/licenses/by/4.0/";

  it("are merged in versions 2 and 3, each by its own method", async () => {
    const { app } = start({
      extra_iiif3_information_response_keys: () => ({ rights }),
      extra_iiif2_information_response_keys: () => ({ attribution: "The museum" }),
    });
    expect((await app.inject(information)).json()).toMatchObject({ width: 1000, rights });
    const second = (await app.inject("/iiif/2/a/info.json")).json();
    expect(second).toMatchObject({ width: 1000, attribution: "The museum" });
    expect(second.rights).toBeUndefined();
    expect((await app.inject("/iiif/1/a/info.json")).json().rights).toBeUndefined();
  });

  it("may differ between clients, and so does the ETag", async () => {
    const { app } = start({
      extra_iiif3_information_response_keys: ({ cookies }) => ({
        rights,
        label: cookies?.["user"],
      }),
    });
    const of = (user: string) =>
      app.inject({ url: information, headers: { cookie: `user=${user}` } });
    const [one, other, again] = [await of("one"), await of("other"), await of("one")];
    expect([one.json().label, other.json().label, again.json().label]).toEqual([
      "one",
      "other",
      "one",
    ]);
    expect(one.headers.etag).toBe(again.headers.etag);
    expect(one.headers.etag).not.toBe(other.headers.etag);
  });

  it("are requested when the image is known", async () => {
    const { app } = start({
      extra_iiif3_information_response_keys: ({ full_size, page_count }) => ({
        seen: [full_size, page_count],
      }),
    });
    expect((await app.inject(information)).json().seen).toEqual([{ width: 1000, height: 800 }, 2]);
  });
});

describe("the context", () => {
  const contexts = async (
    url: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly Partial<DelegateContext>[]> => {
    const seen: Partial<DelegateContext>[] = [];
    const look = (context: Partial<DelegateContext>): boolean => {
      seen.push(context);
      return true;
    };
    const { app } = start({ pre_authorize: look, authorize: look });
    await app.inject({ url, headers });
    return seen;
  };

  it("describes the request before the image is known", async () => {
    const [before] = await contexts(`/iiif/3/a%2Fb;2;1:2/full/max/0/default.jpg?x=1`, {
      "X-Key": "1",
      cookie: "a=1; b=x=y; a=2",
      host: "images.example.org",
    });
    expect(before).toEqual({
      client_ip: "127.0.0.1",
      cookies: { a: "2", b: "x=y" },
      identifier: "a/b",
      local_uri: "http://images.example.org/iiif/3/a%2Fb;2;1:2/full/max/0/default.jpg?x=1",
      request_uri: "http://images.example.org/iiif/3/a%2Fb;2;1:2/full/max/0/default.jpg",
      request_headers: expect.objectContaining({ "x-key": "1" }),
      page_number: 2,
      scale_constraint: [1, 2],
    });
  });

  it("has [1, 1] and no page if the identifier names neither", async () => {
    const seen = await contexts(picture);
    expect(seen).toHaveLength(2);
    for (const one of seen)
      expect(one).toMatchObject({ page_number: null, scale_constraint: [1, 1] });
  });

  it("describes the operations to authorize", async () => {
    const [, asked] = await contexts("/iiif/3/a/10,20,300,200/150,/!90/gray.png");
    expect(asked).toMatchObject({
      full_size: { width: 1000, height: 800 },
      page_count: 2,
      output_format: "image/png",
      resulting_size: { width: 100, height: 150 },
      operations: [
        { class: "CropByPixels", x: 10, y: 20, width: 300, height: 200 },
        { class: "ScaleByPixels", width: 150, height: 100 },
        { class: "Transpose", axis: "horizontal" },
        { class: "Rotate", degrees: 90 },
        { class: "ColorTransform", type: "gray" },
        { class: "Encode", format: "image/png" },
      ],
    });
  });

  it("treats names from clients as plain names, whatever they are", async () => {
    const [before] = await contexts(picture, { cookie: "__proto__=x; constructor=y" });
    expect(Object.entries(before?.cookies ?? {})).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });
});
