import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeImages, fakeImages } from "../../test/fake-images.ts";
import { Config, type Snapshot } from "../config/store.ts";
import type { LogFields, Logger } from "../core/log.ts";
import type { AccessEntry } from "../logging/access.ts";
import { createServer } from "./server.ts";

const image = "/full/max/0/default.jpg";

const open: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

interface Started {
  readonly app: FastifyInstance;
  readonly config: Config;
  readonly images: FakeImages;
  readonly accessed: AccessEntry[];
  readonly logged: { level: string; message: string; fields: LogFields | undefined }[];
}

const start = (values: Snapshot = {}): Started => {
  const config = new Config({ "endpoint.iiif.1.enabled": true, ...values });
  const images = fakeImages();
  const accessed: AccessEntry[] = [];
  const logged: Started["logged"] = [];
  const at =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      logged.push({ level, message, fields });
    };
  const log: Logger = {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  const app = createServer({
    config,
    images,
    outputs: () => ["jpg", "png", "tif"],
    lacking: (format) => (format === "jxl" ? "The package of jxl is missing." : undefined),
    log,
    access: (entry) => accessed.push(entry),
    productVersion: "9.8.7",
  });
  open.push(app);
  return { app, config, images, accessed, logged };
};

const portOf = (app: FastifyInstance): number => {
  const address = app.server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  return address.port;
};

/** Sends a raw request line that no client library would send; resolves to the whole response. */
const sendRaw = async (app: FastifyInstance, request: string): Promise<string> => {
  if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect(portOf(app), "127.0.0.1");
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  socket.on("error", () => {});
  socket.write(request, "latin1");
  await once(socket, "close");
  return answer;
};

const getRaw = (app: FastifyInstance, target: string): Promise<string> =>
  sendRaw(app, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);

describe("paths", () => {
  it.each([
    [`/iiif/3/a${image}`, 200],
    [`/iiif/2/a${image}`, 200],
    ["/iiif/1/a/full/full/0/native.jpg", 200],
    ["/iiif/1/a/full/full/0/native", 200],
    ["/iiif/3/a/info.json", 200],
    ["/iiif/3/a/info%2Ejson", 200],
    ["/iiif/3", 200],
    ["/health", 200],
    ["/iiif/3/a", 303],
    ["/iiif/3/a/", 301],
    ["/iiif/3/", 301],
    ["/health/", 301],
    ["/iiif/3/a/full/max", 404],
    ["/iiif/3/a/full/max/0", 404],
    [`/iiif/3/a/b${image}`, 404],
    ["/iiif/3/a/info.xml", 404],
    [`/iiif/3/${image}`, 404],
    ["/iiif/4/a/info.json", 404],
    ["/nothing", 404],
    ["/iiif/3/a/full/max/0/default.xyz", 400],
    ["/iiif/3/a/full/max/0/default", 400],
    ["/iiif/3/a/full/full/0/default.jpg", 400],
    ["/iiif/3/a/full/max/0/default.gif", 400],
    ["/iiif/1/a/full/full/0/native.gif", 415],
    ["/iiif/3/a/full/max/0/default.jxl", 501],
    [`/iiif/1/${"a".repeat(1024)}/full/full/0/native.jpg`, 414],
    [`/iiif/3/${"a".repeat(1000)}${image}`, 200],
    [`/iiif/3/${"%C3%A4".repeat(1000)}${image}`, 200],
    [`/iiif/3/${"a".repeat(1001)}${image}`, 400],
    ["/iiif/3/a;3/info.json", 404],
    ["/iiif/3/%zz/info.json", 400],
    ["/iiif/3/%ff/info.json", 400],
    ["/iiif/3/%ff", 400],
    ["/%zz", 404],
    ["/%ff%2", 404],
  ])("%s has status %i", async (url, status) => {
    const { app } = start();
    const answer = await getRaw(app, url);
    expect(answer.split(" ")[1]).toBe(String(status));
  });

  it.each([
    ["/iiif/3/a%2Fb/info.json", "a/b"],
    ["/iiif/3/a%252Fb/info.json", "a%2Fb"],
    ["/iiif/3/a+b/info.json", "a+b"],
    ["/iiif/3/a%20b/info.json", "a b"],
    ["/iiif/3/..%2F..%2Fetc/info.json", "../../etc"],
    ["/iiif/3/../info.json", ".."],
    ["/iiif/3/a\\b/info.json", "a\\b"],
    ["/iiif/3/%2e%2e/info.json", ".."],
    ['/iiif/3/a<"`>b/info.json', 'a<"`>b'],
    ["http://elsewhere.example:81/iiif/3/a/info.json", "a"],
    ["/iiif/3/info.json/info.json", "info.json"],
  ])("%s names the image %s", async (url, identifier) => {
    const { app, images } = start();
    const answer = await getRaw(app, url);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(images.asked.known).toEqual([identifier]);
  });

  it("bytes above 127 in a target are read as UTF-8, where Node.js accepts them", async () => {
    const { app, images } = start();
    const answer = await getRaw(app, "/iiif/3/a\u00c3\u00a4b/info.json");
    // Parsers since Node.js 20.20 reject them.
    if (answer.startsWith("HTTP/1.1 400 ")) expect(images.asked.known).toEqual([]);
    else expect([answer.slice(0, 13), images.asked.known]).toEqual(["HTTP/1.1 200 ", ["aäb"]]);
  });

  it("an absolute target's host overrides the Host header", async () => {
    const { app } = start();
    const answer = await getRaw(app, "http://elsewhere.example:81/iiif/3/a/info.json");
    expect(answer).toContain('"id":"http://elsewhere.example:81/iiif/3/a"');
  });

  it("arbitrary bytes in a target never make the server fail", async () => {
    const { app, logged } = start();
    const byte = fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code));
    const piece = fc.oneof(
      byte,
      fc.constantFrom("/", "%", "%2F", "%00", "%C3", ";", "?", "#", "..", "//", ":", "info.json"),
    );
    const target = fc
      .tuple(
        fc.constantFrom("/", "/iiif/3/", "/iiif/2/a/", "/iiif/1/a/full/", "http://h/iiif/3/"),
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom("", "/info.json", image, "/"),
      )
      .map(([before, pieces, after]) => before + pieces.join("") + after);
    await fc.assert(
      fc.asyncProperty(target, async (text) => {
        const answer = await getRaw(app, text);
        expect(answer, text).toMatch(/^HTTP\/1.1 [234]\d\d /);
      }),
      { numRuns: 300 },
    );
    expect(logged.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("bytes that are not HTTP get 400, and endless headers 431", async () => {
    const { app } = start();
    const refusal = await sendRaw(app, "nonsense\r\n\r\n");
    expect(refusal).toMatch(/^HTTP\/1.1 400 /);
    expect(refusal).toContain("\r\nCache-Control: no-cache, must-revalidate\r\n");
    const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}\r\n\r\n`;
    expect(await sendRaw(app, long)).toMatch(/^HTTP\/1.1 431 /);
  });
});

describe("redirects", () => {
  it.each([
    ["/iiif/3/a%2Fb", "http://localhost/iiif/3/a%2Fb/info.json"],
    ["/iiif/2/a;2?cache=recache", "http://localhost/iiif/2/a;2/info.json?cache=recache"],
    ["/iiif/3/a%2Fb;2:4/info.json?x=1", "http://localhost/iiif/3/a%2Fb;1:2/info.json?x=1"],
    [`/iiif/3/a%20b;3:3${image}`, `http://localhost/iiif/3/a%20b${image}`],
    ["/iiif/3/a/info.json/", "http://localhost/iiif/3/a/info.json"],
    ["//evil.example/", "http://localhost//evil.example"],
  ])("%s redirects to %s", async (url, location) => {
    const { app, images } = start();
    const answer = await getRaw(app, url);
    expect(answer.toLowerCase()).toContain(`\r\nlocation: ${location.toLowerCase()}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 30[13] /);
    expect(images.asked.known).toEqual([]);
  });
});

describe("images", () => {
  it("have headers that describe them", async () => {
    const { app } = start();
    const { headers, statusCode, body } = await app.inject(
      "/iiif/3/maps%2Fa.tif/0,0,500,400/250,/0/default.png",
    );
    expect(statusCode).toBe(200);
    expect(body).toBe("pixels of maps/a.tif");
    expect(headers).toMatchObject({
      "content-type": "image/png",
      "content-length": "20",
      "content-disposition": 'inline; filename="maps_a.tif_0_0_500_400_250__0_default.png"',
      link:
        '<http://iiif.io/api/image/3/level2.json>;rel="profile",' +
        '<http://localhost/iiif/3/maps%2Fa.tif/0,0,500,400/250,200/0/default.png>;rel="canonical"',
      "last-modified": "Mon, 06 May 2024 07:08:09 GMT",
      "cache-control": "max-age=2592000, public, no-transform",
      "access-control-allow-origin": "*",
      "x-powered-by": "Vitrine/9.8.7",
      "x-content-type-options": "nosniff",
    });
    expect(headers.etag).toMatch(/^W\/"[!#-~]+"$/);
    expect(headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
    expect(headers).not.toHaveProperty("vary");
  });

  it("have the same ETag in every version and spelling", async () => {
    const { app } = start();
    const tags = await Promise.all(
      [
        "/iiif/3/a/full/max",
        "/iiif/2/a/full/full",
        "/iiif/2/a/full/max",
        "/iiif/3/a/pct:0,0,100,100/1000,",
      ].map(async (url) => (await app.inject(`${url}/0/default.jpg`)).headers.etag),
    );
    expect(new Set(tags).size).toBe(1);
    expect((await app.inject("/iiif/3/a/full/max/0/gray.jpg")).headers.etag).not.toBe(tags[0]);
  });

  it("are not rendered for HEAD", async () => {
    const { app, images } = start();
    const { headers, statusCode, body } = await app.inject({
      method: "HEAD",
      url: `/iiif/3/a${image}`,
    });
    expect([statusCode, body]).toEqual([200, ""]);
    expect(headers["content-type"]).toBe("image/jpeg");
    expect(headers.link).toContain('rel="canonical"');
    expect(headers).not.toHaveProperty("content-length");
    expect(images.asked.drawn).toEqual([]);
  });

  it("are not rendered for a client that has them cached", async () => {
    const { app, images } = start();
    const url = `/iiif/3/a${image}`;
    const etag = String((await app.inject({ method: "HEAD", url })).headers.etag);
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await app.inject({ url, headers })).statusCode;
    expect(await ask({ "if-none-match": etag })).toBe(304);
    expect(await ask({ "if-none-match": `"other", ${etag.slice(2)}` })).toBe(304);
    expect(await ask({ "if-none-match": "*" })).toBe(304);
    expect(await ask({ "if-modified-since": "Mon, 06 May 2024 07:08:09 GMT" })).toBe(304);
    expect(images.asked.drawn).toEqual([]);
    const since = "Mon, 06 May 2030 07:08:09 GMT";
    expect(await ask({ "if-none-match": '"other"', "if-modified-since": since })).toBe(200);
    expect(await ask({ "if-modified-since": "Mon, 06 May 2024 07:08:08 GMT" })).toBe(200);
    for (const nonsense of ["yesterday", "2030", "2030-05-06T07:08:09Z"])
      expect(await ask({ "if-modified-since": nonsense })).toBe(200);
    expect(await ask({ "if-modified-since": "Monday, 06-May-24 07:08:09 GMT" })).toBe(304);
  });

  it("keep their headers in a 304", async () => {
    const { app } = start();
    const { headers } = await app.inject({
      url: `/iiif/3/a${image}`,
      headers: { "if-none-match": "*" },
    });
    expect(headers).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control": "max-age=2592000, public, no-transform",
      "last-modified": "Mon, 06 May 2024 07:08:09 GMT",
    });
    expect(headers.etag).toBeDefined();
    expect(headers.link).toContain("canonical");
  });

  it.each([
    [undefined, "image/jpeg"],
    ["*/*", "image/jpeg"],
    ["image/png", "image/png"],
    ["image/gif, image/png;q=0.5, image/tiff;q=0.9", "image/tiff"],
    ["text/html", "image/jpeg"],
  ])("of version 1 without a format follow Accept: %s gives %s", async (accept, type) => {
    const { app } = start();
    const { headers } = await app.inject({
      url: "/iiif/1/a/full/full/0/native",
      headers: accept === undefined ? {} : { accept },
    });
    expect(headers["content-type"]).toBe(type);
    expect(headers.vary).toBe("Accept");
  });

  it("of the page in the deprecated argument are served unless the identifier names a page", async () => {
    const { app } = start();
    const tag = async (url: string): Promise<unknown> => (await app.inject(url)).headers.etag;
    const second = await tag(`/iiif/3/a;2${image}`);
    expect(await tag(`/iiif/3/a${image}?page=2`)).toBe(second);
    expect(await tag(`/iiif/3/a;2${image}?page=1`)).toBe(second);
    expect(await tag(`/iiif/3/a${image}?page=x`)).toBe(await tag(`/iiif/3/a${image}`));
    expect(second).not.toBe(await tag(`/iiif/3/a${image}`));
  });

  it.each([
    ["", "max-age=2592000, public, no-transform"],
    ["?cache=recache", "max-age=2592000, public, no-transform"],
    ["?cache=Nocache", "max-age=2592000, public, no-transform"],
    ["?cache=nocache", "max-age=2592000, public, no-transform"],
    ["?cache=false", "max-age=2592000, public, no-transform"],
  ])("requested with '%s' have the Cache-Control %s", async (query, value) => {
    const { app } = start();
    const { headers } = await app.inject(`/iiif/3/a${image}${query}`);
    expect(headers["cache-control"]).toBe(value);
  });

  it("follow changed settings on the next request", async () => {
    const { app, config } = start();
    const cacheControl = async (): Promise<unknown> =>
      (await app.inject(`/iiif/3/a${image}`)).headers["cache-control"];
    config.replace({
      "cache.client.max_age": 5,
      "cache.client.shared_max_age": 6,
      "cache.client.public": false,
      "cache.client.private": true,
      "cache.client.must_revalidate": true,
      "cache.client.no_transform": false,
    });
    expect(await cacheControl()).toBe("max-age=5, s-maxage=6, private, must-revalidate");
    config.replace({ "cache.client.max_age": null });
    expect(await cacheControl()).toBe("public, no-transform");
    config.replace({ "cache.client.enabled": false });
    expect(await cacheControl()).toBeUndefined();
    config.replace({ "endpoint.iiif.3.enabled": false });
    const { statusCode, body } = await app.inject(`/iiif/3/a${image}`);
    expect(statusCode).toBe(403);
    expect(body).toContain("endpoint.iiif.3.enabled is false");
  });
});

describe("info.json", () => {
  const linked = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"';
  const plain = "application/json";
  it.each([
    [3, undefined, linked],
    [3, "*/*", linked],
    [3, "application/*", linked],
    [3, "application/json", plain],
    [3, "application/ld+json, application/json", linked],
    [3, "application/json, application/ld+json", plain],
    [3, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", plain],
    [3, "image/png", linked],
    [2, undefined, plain],
    [2, "*/*", plain],
    [2, "application/ld+json", linked.replace("/3/", "/2/")],
    [2, "application/ld+json;q=0.5, application/json", plain],
    [1, "*/*", plain],
  ])("of version %i with Accept %s is %s", async (version, accept, type) => {
    const { app } = start();
    const { headers, statusCode } = await app.inject({
      url: `/iiif/${version}/a/info.json`,
      headers: accept === undefined ? {} : { accept },
    });
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe(type);
    expect(headers.vary).toBe("Accept");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers.link).toContain('rel="profile"');
  });

  it("contains the address by which it was requested, as spelled", async () => {
    const { app } = start();
    const { id } = (await app.inject("/iiif/3/a%2fb%20;2;1:2/info.json")).json();
    expect(id).toBe("http://localhost/iiif/3/a%2fb%20;2;1:2");
  });

  it("is not sent to a client that has it cached", async () => {
    const { app } = start();
    const url = "/iiif/3/a/info.json";
    const { headers } = await app.inject(url);
    const etag = String(headers.etag);
    const again = await app.inject({ url, headers: { "if-none-match": etag } });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    const other = await app.inject({
      url,
      headers: { "if-none-match": etag, accept: "application/json" },
    });
    expect(other.statusCode).toBe(200);
  });

  it.each([
    ["/iiif/3/missing/info.json", { id: "http://localhost/iiif/3/missing", status: 404 }],
    ["/iiif/2/denied/info.json", { "@id": "http://localhost/iiif/2/denied", status: 403 }],
    ["/iiif/1/unreadable/info.json", { "@id": "http://localhost/iiif/1/unreadable", status: 501 }],
    ["/iiif/3/a;0/info.json", { id: "http://localhost/iiif/3/a;0", status: 400 }],
  ])("fails as JSON: %s", async (url, expected) => {
    const { app } = start();
    const answer = await app.inject({ url, headers: { accept: "application/json" } });
    expect(answer.statusCode).toBe(expected.status);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.headers["cache-control"]).toBe("no-cache, must-revalidate");
    expect(answer.json()).toMatchObject(expected);
    expect(answer.json().requestId).toBe(answer.headers["x-request-id"]);
  });

  it.each([
    [undefined, linked],
    ["application/json, text/plain, */*", plain],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8"],
    ["text/plain", "text/plain; charset=utf-8"],
  ])("fails for Accept %s as %s", async (accept, type) => {
    const { app } = start();
    const url = "/iiif/3/missing/info.json";
    const answer = await app.inject({ url, headers: accept === undefined ? {} : { accept } });
    expect(answer.headers["content-type"]).toBe(type);
    expect(answer.body).toContain(String(answer.headers["x-request-id"]));
  });

  it("of the page in the deprecated argument has an id with that page", async () => {
    const { app } = start();
    const { id } = (await app.inject("/iiif/3/a%2Fb;1:2/info.json?page=2")).json();
    expect(id).toBe("http://localhost/iiif/3/a%2Fb;2;1:2");
    const { link } = (await app.inject(`/iiif/3/a${image}?page=2`)).headers;
    expect(link).toContain("/iiif/3/a;2/full/max/0/default.jpg>");
  });
});

describe("methods", () => {
  it("answer a preflight request without reading the image", async () => {
    const { app, images } = start();
    const { headers, statusCode } = await app.inject({
      method: "OPTIONS",
      url: `/iiif/3/missing${image}`,
      headers: { origin: "https://viewer.example", "access-control-request-method": "GET" },
    });
    expect(statusCode).toBe(204);
    expect(headers).toMatchObject({
      allow: "GET, HEAD, OPTIONS",
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "Authorization, *",
    });
    expect(images.asked.known).toEqual([]);
  });

  it.each([
    ["POST", `/iiif/3/a${image}`],
    ["DELETE", "/iiif/3/a/info.json"],
    ["PUT", "/health"],
    ["PATCH", "/iiif/2"],
    ["PROPFIND", "/iiif/3/a"],
  ])("respond to %s %s with 405 and the allowed methods", async (method, url) => {
    const { app } = start();
    const body = '{"a":1}';
    const answer = await sendRaw(
      app,
      `${method} ${url} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
    expect(answer).toContain("\r\nallow: GET, HEAD, OPTIONS\r\n");
  });

  it("include OPTIONS wherever GET is allowed, and respond with 404 elsewhere", async () => {
    const { app } = start();
    const ask = (url: string) => app.inject({ method: "OPTIONS", url });
    expect((await ask("/health")).headers.allow).toBe("GET, HEAD, OPTIONS");
    expect((await ask("/")).statusCode).toBe(204);
    expect((await ask("/nothing")).statusCode).toBe(404);
  });
});

describe("failures", () => {
  it.each([
    ["malformed", 400],
    ["unauthenticated", 401],
    ["denied", 403],
    ["missing", 404],
    ["unimplemented", 501],
    ["unreadable", 501],
    ["upstream", 502],
    ["busy", 503],
    ["internal", 500],
    ["thrown", 500],
  ])("%s responds with %i, CORS headers and no caching", async (identifier, status) => {
    const { app } = start();
    const { headers, statusCode, body } = await app.inject(`/iiif/3/${identifier}${image}`);
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control": "no-cache, must-revalidate",
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    expect(headers).not.toHaveProperty("etag");
    expect(headers["retry-after"]).toBe(status === 503 ? "5" : undefined);
    expect(body).toContain(`Request ${headers["x-request-id"]}`);
    expect(body).not.toContain("passwd");
    expect(body).not.toMatch(/\n\s+at /);
  });

  it("are escaped in HTML only", async () => {
    const { app } = start();
    const ask = async (accept: string): Promise<string> =>
      (await app.inject({ url: `/iiif/3/missing${image}`, headers: { accept } })).body;
    expect(await ask("text/plain")).toContain("It is missing & <b>so</b>");
    expect(await ask("text/html")).toContain("It is missing &#38; &#60;b&#62;so&#60;/b&#62;");
    expect(JSON.parse(await ask("application/json"))).toMatchObject({
      status: 404,
      message: "It is missing & <b>so</b>",
    });
  });

  it("show the stack only if configured", async () => {
    const { app } = start({ print_stack_trace_on_error_pages: true });
    const { body } = await app.inject(`/iiif/3/thrown${image}`);
    expect(body).toContain("a secret at /etc/passwd");
    expect(body).toMatch(/\n\s+at /);
  });

  it("are logged by severity, and higher if configured", async () => {
    const { app, config, logged } = start();
    const levels = async (): Promise<string[]> => {
      logged.length = 0;
      for (const id of ["missing", "denied", "unreadable", "thrown"])
        await app.inject(`/iiif/3/${id}${image}`);
      return logged
        .filter(({ message }) => message.startsWith("4") || message.startsWith("5"))
        .map(({ level }) => level);
    };
    expect(await levels()).toEqual(["debug", "debug", "warn", "error"]);
    config.replace({ log_error_responses: true });
    expect(await levels()).toEqual(["debug", "warn", "error", "error"]);
  });

  it("end a request beyond its deadline with 504, and stop its work", async () => {
    const { app, images } = start({ "http.request_timeout": 0.05 });
    const { statusCode, headers, body } = await app.inject(`/iiif/3/slow${image}`);
    expect(statusCode).toBe(504);
    expect(headers["cache-control"]).toBe("no-cache, must-revalidate");
    for (const name of ["etag", "last-modified", "link", "content-disposition"])
      expect(headers).not.toHaveProperty(name);
    expect(body).toContain("longer than 0.05 s");
    expect(images.asked.signals[0]?.aborted).toBe(true);
  });

  it("stop the work of a client that disconnects, and log it with 499", async () => {
    const { app, images, accessed } = start();
    await app.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect(portOf(app), "127.0.0.1");
    socket.write(`GET /iiif/3/slow${image} HTTP/1.1\r\nHost: a\r\n\r\n`);
    while (images.asked.drawn.length === 0) await new Promise((next) => setImmediate(next));
    const [signal] = images.asked.signals;
    socket.destroy();
    if (!signal?.aborted) await once(signal ?? new EventTarget(), "abort");
    while (accessed.length === 0) await new Promise((next) => setImmediate(next));
    expect(accessed[0]).toMatchObject({ status: 499, bytes: 0 });
  });
});

it("the access log records every request", async () => {
  const { app, accessed } = start();
  await app.inject({
    url: `/iiif/3/a${image}?cache=recache`,
    headers: {
      "user-agent": "test",
      referer: "https://r.example/",
      "x-forwarded-for": "192.0.2.7",
    },
  });
  await app.inject("/nothing");
  expect(accessed).toMatchObject([
    {
      remote: "192.0.2.7",
      method: "GET",
      target: `/iiif/3/a${image}?cache=recache`,
      protocol: "HTTP/1.1",
      status: 200,
      bytes: 11,
      agent: "test",
      referrer: "https://r.example/",
    },
    { status: 404, target: "/nothing" },
  ]);
  expect(accessed[1]?.bytes).toBeGreaterThan(0);
});

it("health responds with GREEN, and with 403 when disabled", async () => {
  const { app, config } = start();
  const { headers, body } = await app.inject("/health");
  expect(body).toBe('{"color":"GREEN","message":null,"possibleColors":["GREEN","YELLOW","RED"]}');
  expect(headers["cache-control"]).toBe("no-cache");
  expect(headers).not.toHaveProperty("access-control-allow-origin");
  config.replace({ "endpoint.health.enabled": false });
  expect((await app.inject("/health")).statusCode).toBe(403);
});
