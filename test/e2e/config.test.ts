import { afterEach, describe, expect, it } from "vitest";
import { json, startServer, type TestServer } from "./app.ts";
import { expectRefusal, headerOf, linksOf } from "./checks.ts";
import { drawPictures } from "./pictures.ts";
import { apiVersions, basePath, imagePath, infoPath } from "./requests.ts";

const servers: TestServer[] = [];
const start = async (values: Readonly<Record<string, unknown>>): Promise<TestServer> => {
  const server = await startServer(drawPictures, values);
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe("configuration", () => {
  it.each(apiVersions)("disables version %s, and no other", async (off) => {
    const server = await start(
      Object.fromEntries(
        apiVersions.map((version) => [`endpoint.iiif.${version}.enabled`, version !== off]),
      ),
    );
    for (const version of apiVersions)
      for (const path of [imagePath(version, "small.png"), infoPath(version, "small.png")]) {
        const answer = await server.ask(path);
        if (version === off) expectRefusal(answer, [403]);
        else expect(answer.status).toBe(200);
      }
  });

  it("sets the public address, overriding the request and proxies", async () => {
    const server = await start({ base_uri: "https://images.example.org/archive/" });
    const headers = {
      host: "elsewhere",
      "x-forwarded-host": "elsewhere",
      "x-forwarded-path": "/x",
    };
    const expected = "https://images.example.org/archive/iiif/3/small.png";
    expect(json(await server.ask(infoPath(3, "small.png"), { headers })).id).toBe(expected);
    const image = await server.ask(imagePath(3, "small.png"), { headers });
    expect(linksOf(image).canonical).toBe(`${expected}/full/max/0/default.jpg`);
    const redirect = await server.ask(basePath(3, "small.png"), { headers });
    expect(redirect.headers.location).toBe(`${expected}/info.json`);
  });

  it("decides which proxies are believed", async () => {
    const server = await start({ "http.trusted_proxies": ["none"] });
    const headers = { "x-forwarded-host": "elsewhere", forwarded: "host=elsewhere" };
    expect(json(await server.ask(infoPath(3, "small.png"), { headers })).id).toBe(
      `${server.base}/iiif/3/small.png`,
    );
  });

  it("sets how long clients may cache responses", async () => {
    const server = await start({
      "cache.client.max_age": 60,
      "cache.client.shared_max_age": 120,
      "cache.client.public": false,
      "cache.client.private": true,
      "cache.client.must_revalidate": true,
      "cache.client.no_transform": false,
    });
    for (const path of [imagePath(3, "small.png"), infoPath(3, "small.png")])
      expect(headerOf(await server.ask(path), "cache-control")).toBe(
        "max-age=60, s-maxage=120, private, must-revalidate",
      );
    const silent = await start({ "cache.client.enabled": false });
    const answer = await silent.ask(imagePath(3, "small.png"));
    expect(headerOf(answer, "cache-control") ?? "").not.toContain("max-age");
  });

  it("orders the preferred formats of version 3", async () => {
    const server = await start({ "endpoint.iiif.preferred_formats": ["webp", "jpg"] });
    expect(json(await server.ask(infoPath(3, "small.png")))).toMatchObject({
      preferredFormats: ["webp", "jpg"],
      extraFormats: expect.arrayContaining(["webp"]),
    });
  });

  it("shows stack traces on error pages only if enabled", async () => {
    const path = imagePath(3, "absent.png");
    const open = await start({ print_stack_trace_on_error_pages: true });
    expect((await open.ask(path)).body.toString("utf8")).toMatch(/\n\s+at /);
    expectRefusal(await (await start({})).ask(path), [404]);
  });

  it("disables the health check", async () => {
    const server = await start({ "endpoint.health.enabled": false });
    expect((await server.ask("/health")).status).not.toBe(200);
  });

  it("appends a suffix to identifiers", async () => {
    const server = await start({ "FilesystemSource.BasicLookupStrategy.path_suffix": ".png" });
    expect((await server.ask(imagePath(3, "small"))).status).toBe(200);
    expectRefusal(await server.ask(imagePath(3, "small.png")), [404]);
  });
});
