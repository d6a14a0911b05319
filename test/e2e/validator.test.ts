import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startServer, type TestServer } from "./app.ts";
import { expectColours, expectRefusal, expectShown, linksOf } from "./checks.ts";
import { asImage, drawGrid } from "./grid.ts";
import { type ApiVersion, apiVersions, basePath, imagePath, infoPath } from "./requests.ts";
import { type Ask, testPicture, validatorCases } from "./validator.ts";

const grid = drawGrid(1000, 1000, { square: 100, seed: 20 });

let server: TestServer;
beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      await asImage(grid).png().toFile(join(folder, testPicture));
    },
    {
      "endpoint.iiif.1.enabled": true,
      "endpoint.iiif.3.confined_size": "refuse",
      max_scale: 2,
    },
  );
});
afterAll(() => server.close());

const check = async (version: ApiVersion, ask: Ask): Promise<void> => {
  // The validator omits the format in version 1, unless it is what the case is about.
  const format = ask.format ?? (version === 1 ? "" : "jpg");
  const path = imagePath(version, ask.identifier ?? testPicture, { ...ask, format });
  const headers = ask.accept === undefined ? {} : { accept: ask.accept };
  const answer = await server.ask(path, { headers });
  if (ask.status !== undefined) expectRefusal(answer, ask.status);
  else expect(answer.status, `${path}: ${answer.body.subarray(0, 300)}`).toBe(200);
  if (ask.mediaType !== undefined) expect(answer.headers["content-type"]).toBe(ask.mediaType);
  if (ask.shown !== undefined) await expectShown(answer, grid, ask.shown);
  if (ask.colours !== undefined) await expectColours(answer, ask.colours);
};

describe.each(apiVersions)("the official validator's cases, version %s", (version) => {
  for (const { name, level, asks } of validatorCases)
    if (level[version] !== undefined)
      it(`${name} (level ${level[version]})`, async () => {
        for (const ask of asks) await check(version, ask);
      });

  it("cors (level 1)", async () => {
    const answer = await server.ask(infoPath(version, testPicture));
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });

  it("linkheader_profile (level 3)", async () => {
    const answer = await server.ask(imagePath(version, testPicture));
    expect(linksOf(answer).profile).toBe(profiles[version]);
  });

  if (version > 1) {
    it("linkheader_canonical (level 3)", async () => {
      const path = imagePath(version, testPicture);
      const answer = await server.ask(path);
      expect(linksOf(answer).canonical).toBe(server.base + path);
    });

    it("baseurl_redirect (level 1)", async () => {
      const answer = await server.ask(basePath(version, testPicture));
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toBe(server.base + infoPath(version, testPicture));
    });

    it("jsonld (level 1)", async () => {
      const headers = { accept: "application/ld+json" };
      const answer = await server.ask(infoPath(version, testPicture), { headers });
      expect(answer.headers["content-type"]).toMatch(/^application\/ld\+json/);
    });
  }

  it("info_json (level 0)", async () => {
    const answer = await server.ask(infoPath(version, testPicture));
    expect(answer.headers["content-type"]).toMatch(/^application\/(ld\+)?json/);
    const info = json(answer);
    const id = server.base + basePath(version, testPicture);
    expect(info).toMatchObject({ width: 1000, height: 1000, "@context": contexts[version] });
    expect(info).toMatchObject(version === 3 ? { id } : { "@id": id });
    expect(info).toMatchObject(wanted[version]);
    for (const gone of ["attribution", "logo", "license"]) expect(info).not.toHaveProperty(gone);
  });
});

const profiles = {
  1: "http://library.stanford.edu/iiif/image-api/1.1/compliance.html#level2",
  2: "http://iiif.io/api/image/2/level2.json",
  3: "http://iiif.io/api/image/3/level2.json",
} as const;

const contexts = {
  1: "http://library.stanford.edu/iiif/image-api/1.1/context.json",
  2: "http://iiif.io/api/image/2/context.json",
  3: "http://iiif.io/api/image/3/context.json",
} as const;

const size = { width: expect.any(Number), height: expect.any(Number) };
const protocol = "http://iiif.io/api/image";
const tile = { width: expect.any(Number), scaleFactors: expect.any(Array) };

const wanted = {
  1: { profile: profiles[1] },
  2: {
    protocol,
    profile: [profiles[2], expect.any(Object)],
    sizes: expect.arrayContaining([size]),
    tiles: [expect.objectContaining(tile)],
  },
  3: {
    protocol,
    type: "ImageService3",
    profile: "level2",
    sizes: expect.arrayContaining([size]),
    tiles: [expect.objectContaining(tile)],
    extraQualities: expect.any(Array),
    extraFormats: expect.any(Array),
    extraFeatures: expect.any(Array),
  },
} as const;
