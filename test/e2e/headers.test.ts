import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startServer, type TestServer } from "./app.ts";
import { expectRefusal, expectShown, headerOf, linksOf } from "./checks.ts";
import { drawPictures, small } from "./pictures.ts";
import { apiVersions, basePath, imagePath, infoPath } from "./requests.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer(drawPictures, { "endpoint.iiif.1.enabled": true });
});
afterAll(() => server.close());

describe.each(apiVersions)("version %s", (version) => {
  const image = imagePath(version, "small.png");
  const info = infoPath(version, "small.png");

  it.each([image, info])(
    "responds to HEAD for %s with the headers of GET and no body",
    async (path) => {
      const [get, head] = [await server.ask(path), await server.ask(path, { method: "HEAD" })];
      expect(head.status).toBe(200);
      expect(head.body).toHaveLength(0);
      for (const name of ["content-type", "etag", "link", "cache-control", "vary", "last-modified"])
        expect(headerOf(head, name), name).toBe(headerOf(get, name));
      expect(head.headers["access-control-allow-origin"]).toBe("*");
    },
  );

  it("responds to HEAD with the errors of GET, without the text", async () => {
    for (const [path, status] of [
      [imagePath(version, "absent.png"), 404],
      [imagePath(version, "small.png", { size: "0," }), 400],
    ] as const) {
      const answer = await server.ask(path, { method: "HEAD" });
      expect(answer.status).toBe(status);
      expect(answer.body).toHaveLength(0);
    }
  });

  it.each([image, info, basePath(version, "small.png"), infoPath(version, "absent.png")])(
    "answers a preflight for %s without a redirect",
    async (path) => {
      const headers = {
        origin: "https://viewer.example.org",
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      };
      const answer = await server.ask(path, { method: "OPTIONS", headers });
      expect([200, 204]).toContain(answer.status);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(headerOf(answer, "access-control-allow-methods")).toContain("GET");
      expect(headerOf(answer, "access-control-allow-headers")).toMatch(/authorization/i);
      expect(answer.headers.allow).toContain("GET");
    },
  );

  it.each(["POST", "PUT", "DELETE", "PATCH"])(
    "rejects %s and lists the allowed methods",
    async (method) => {
      for (const path of [image, info, basePath(version, "small.png")]) {
        const answer = await server.ask(path, { method });
        expectRefusal(answer, [405]);
        expect(answer.headers.allow).toMatch(/GET/);
        expect(answer.headers.allow).toMatch(/OPTIONS/);
      }
    },
  );

  it.each([image, info])("answers 304 for %s by ETag", async (path) => {
    const { etag = "" } = (await server.ask(path)).headers;
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
    for (const held of [etag, `"other", ${etag}`, "*", `W/${etag.replace(/^W\//, "")}`]) {
      const answer = await server.ask(path, { headers: { "if-none-match": held } });
      expect(answer.status, held).toBe(304);
      expect(answer.body).toHaveLength(0);
      expect(answer.headers.etag).toBe(etag);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    }
    const other = await server.ask(path, { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
  });

  it("answers 304 by date, unless an ETag says otherwise", async () => {
    const modified = (await server.ask(image)).headers["last-modified"] ?? "";
    expect(modified).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    const asked = async (headers: Readonly<Record<string, string>>) =>
      (await server.ask(image, { headers })).status;
    expect(await asked({ "if-modified-since": modified })).toBe(304);
    expect(await asked({ "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).toBe(200);
    expect(await asked({ "if-modified-since": "not a date" })).toBe(200);
    expect(await asked({ "if-modified-since": modified, "if-none-match": '"other"' })).toBe(200);
  });

  it("never answers 304 for invalid or missing resources", async () => {
    const headers = { "if-none-match": "*" };
    const answer = await server.ask(imagePath(version, "absent.png"), { headers });
    expectRefusal(answer, [404]);
  });

  it("gives every image, size, quality and format its own ETag", async () => {
    const paths = [
      image,
      imagePath(version, "small.png", { format: "png" }),
      imagePath(version, "small.png", { quality: "gray" }),
      imagePath(version, "small.png", { size: "100," }),
      imagePath(version, "large.png"),
    ];
    const etags = await Promise.all(
      paths.map(async (path) => (await server.ask(path)).headers.etag),
    );
    expect(new Set(etags).size).toBe(paths.length);
  });

  it("lets caches store images and info.json, and forbids it for errors", async () => {
    for (const path of [image, info])
      expect((await server.ask(path)).headers["cache-control"]).toMatch(/max-age=\d+/);
    const refused = await server.ask(imagePath(version, "absent.png"));
    expect(refused.headers["cache-control"]).toMatch(/no-cache|no-store/);
    for (const query of ["?cache=nocache", "?cache=false"])
      expect((await server.ask(image + query)).headers["cache-control"]).toMatch(/max-age=\d+/);
  });

  it("links from images to its profile", async () => {
    expect(linksOf(await server.ask(image)).profile).toMatch(/level2(\.json)?$/);
  });

  it("sends errors as text, HTML or JSON as requested, always with the request's id", async () => {
    const path = imagePath(version, "small.png", { size: "200;100" });
    for (const [accept, type] of [
      ["text/plain", "text/plain"],
      ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html"],
      ["application/json", "application/json"],
      ["*/*", "text/plain"],
    ] as const) {
      const answer = await server.ask(path, { headers: { accept } });
      expectRefusal(answer, [400]);
      expect(answer.headers["content-type"]).toMatch(new RegExp(`^${type}`));
      expect(answer.body.toString("utf8")).toContain("200;100");
      expect(answer.body.toString("utf8")).toContain(headerOf(answer, "x-request-id"));
    }
    const answer = await server.ask(path, { headers: { accept: "application/json" } });
    expect(json(answer)).toMatchObject({ status: 400, message: expect.stringContaining("size") });
  });

  it("writes nothing a browser would execute into its error pages", async () => {
    const headers = { accept: "text/html" };
    const nasty = "%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    for (const path of [
      imagePath(version, nasty),
      imagePath(version, "small.png", { size: nasty }),
    ])
      expect((await server.ask(path, { headers })).body.toString("utf8")).not.toContain("<script>");
  });
});

describe("the media type of info.json", () => {
  const plain = "application/json";
  const linked = "application/ld+json";
  it.each([
    [3, undefined, linked],
    [3, "*/*", linked],
    [3, "application/ld+json", linked],
    [3, "application/json", plain],
    [3, "application/json;q=0.9,application/ld+json;q=0.5", plain],
    [3, "application/ld+json,application/json;q=0.9", linked],
    [3, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", plain],
    [3, "image/png", linked],
    [2, undefined, plain],
    [2, "*/*", plain],
    [2, "application/ld+json", linked],
    [2, "application/json", plain],
    [2, "text/html,*/*;q=0.8", plain],
    [1, undefined, plain],
    [1, "application/json", plain],
  ] as const)("of version %s for Accept %s is %s", async (version, accept, type) => {
    const headers = accept === undefined ? {} : { accept };
    const answer = await server.ask(infoPath(version, "small.png"), { headers });
    expect(answer.status).toBe(200);
    const got = answer.headers["content-type"] ?? "";
    expect(got.split(";")[0]).toBe(type);
    if (version === 3 && type === linked)
      expect(got).toContain('profile="http://iiif.io/api/image/3/context.json"');
    expect(answer.headers.vary).toMatch(/accept/i);
  });
});

describe("version 1", () => {
  it.each([
    [undefined, "image/jpeg"],
    ["*/*", "image/jpeg"],
    ["image/png", "image/png"],
    ["image/gif;q=0.5,image/png;q=0.9", "image/png"],
    ["image/tiff", "image/tiff"],
    ["text/html,application/xhtml+xml,image/webp,*/*;q=0.8", undefined],
  ] as const)("chooses a format by Accept %s if the URL names none", async (accept, type) => {
    const path = imagePath(1, "small.png", { format: "" });
    const answer = await server.ask(path, { headers: accept === undefined ? {} : { accept } });
    await expectShown(answer, small, { region: [0, 0, 300, 200], size: [300, 200] });
    if (type !== undefined) expect(answer.headers["content-type"]).toBe(type);
    expect(answer.headers.vary).toMatch(/accept/i);
  });

  it("rejects URIs of more than 1,024 characters, and no shorter ones", async () => {
    const path = imagePath(1, "small.png");
    const room = 1024 - server.base.length - path.length - "?x=".length;
    expect((await server.ask(`${path}?x=${"a".repeat(room)}`)).status).toBe(200);
    expectRefusal(await server.ask(`${path}?x=${"a".repeat(room + 1)}`), [414]);
    expect((await server.ask(`${imagePath(2, "small.png")}?x=${"a".repeat(2000)}`)).status).toBe(
      200,
    );
  });
});

describe("downloads", () => {
  const ask = async (disposition: string): Promise<string> => {
    const query = `?response-content-disposition=${encodeURIComponent(disposition)}`;
    const answer = await server.ask(imagePath(3, "small.png") + query);
    expect(answer.status).toBe(200);
    return answer.headers["content-disposition"] ?? "";
  };

  it("have the requested file name", async () => {
    expect(await ask('attachment; filename="map of 1700.jpg"')).toBe(
      'attachment; filename="map of 1700.jpg"',
    );
    expect(await ask("attachment")).toMatch(/^attachment; filename="small.*\.jpg"$/);
    expect(await ask("inline")).toMatch(/^inline; filename="small.*\.jpg"$/);
  });

  it("never have a harmful name", async () => {
    for (const nasty of [
      'attachment; filename="../../etc/passwd"',
      'attachment; filename="a\r\nset-cookie: x=y"',
      'attachment; filename="a"; x="',
      "attachment; filename*=UTF-8''..%2F..%2Fetc",
    ]) {
      const header = await ask(nasty);
      expect(header).not.toMatch(/[/\\\r\n]|\.\./);
      expect(header).toMatch(/^attachment/);
    }
  });

  it("are offered for inline and attachment only", async () => {
    expect(await ask("evil; filename=x.exe")).not.toMatch(/evil|\.exe/);
  });
});

describe("the public address", () => {
  const idFor = async (headers: Readonly<Record<string, string>>): Promise<unknown> =>
    json(await server.ask(infoPath(3, "small.png"), { headers })).id;

  it("is that of the Host header", async () => {
    expect(await idFor({ host: "images.example.org:8080" })).toBe(
      "http://images.example.org:8080/iiif/3/small.png",
    );
  });

  it("is that of X-Forwarded-*", async () => {
    const headers = {
      "x-forwarded-proto": "https",
      "x-forwarded-host": "images.example.org",
      "x-forwarded-path": "/archive/",
    };
    expect(await idFor(headers)).toBe("https://images.example.org/archive/iiif/3/small.png");
    expect(await idFor({ ...headers, "x-forwarded-port": "8443" })).toBe(
      "https://images.example.org:8443/archive/iiif/3/small.png",
    );
    expect(await idFor({ ...headers, "x-forwarded-id": "other%2Fname" })).toBe(
      "https://images.example.org/archive/iiif/3/other%2Fname",
    );
  });

  it("is that of Forwarded", async () => {
    const forwarded = 'for=192.0.2.1;proto=https;host="images.example.org:444"';
    expect(await idFor({ forwarded })).toBe("https://images.example.org:444/iiif/3/small.png");
  });

  it("is also used in links and redirects", async () => {
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "images.example.org" };
    const image = await server.ask(imagePath(3, "small.png"), { headers });
    const expected = "https://images.example.org/iiif/3/small.png";
    expect(linksOf(image).canonical).toBe(`${expected}/full/max/0/default.jpg`);
    const base = await server.ask(basePath(3, "small.png"), { headers });
    expect(base.headers.location).toBe(`${expected}/info.json`);
  });
});

describe("health", () => {
  it("is green without further checks", async () => {
    const answer = await server.ask("/health");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    expect(json(answer)).toMatchObject({ color: "GREEN" });
  });
});
