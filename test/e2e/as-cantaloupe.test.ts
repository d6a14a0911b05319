import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";
import { keyGroups } from "../../src/app/keys.ts";
import { cantaloupeDefault } from "../../src/config/parse.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { startServer, type TestServer } from "./app.ts";
import { expectRefusal, expectShown } from "./checks.ts";
import { asImage } from "./grid.ts";
import { drawPictures, drawSmall, large, small } from "./pictures.ts";
import { type ApiVersion, imagePath, infoPath } from "./requests.ts";

const servers: TestServer[] = [];
const start = async (
  values: Readonly<Record<string, unknown>> = {},
  draw: (folder: string) => Promise<void> = drawPictures,
): Promise<TestServer> => {
  const server = await startServer(draw, { "endpoint.iiif.1.enabled": true, ...values });
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/**
 * The keys by which the server behaves as Cantaloupe does, each with its value where Cantaloupe's
 * defaults apply.
 */
const asThere = (...keys: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    keyGroups.flatMap(({ keys: group }) =>
      Object.entries(group)
        .filter(([key]) => keys.includes(key))
        .map(([key, definition]) => [key, cantaloupeDefault(definition)]),
    ),
  );
const dialect = asThere("endpoint.iiif.dialect", "endpoint.iiif.scale_reference");

describe("in Cantaloupe's dialect", () => {
  it("qualities and formats may be in upper case, and pixels may have decimals", async () => {
    const [there, exact] = [await start(dialect), await start()];
    const paths = [
      "/iiif/3/small.png/full/max/0/Default.PNG",
      "/iiif/2/small.png/full/full/0/GRAY.jpg",
      "/iiif/1/small.png/full/full/0/Native.JPEG",
      "/iiif/3/small.png/10.5,0,100.4,50/max/0/default.png",
    ];
    for (const path of paths) {
      expect((await there.ask(path)).status, path).toBe(200);
      expect((await exact.ask(path)).status, path).not.toBe(200);
    }
    await expectShown(await there.ask(paths[3] ?? ""), small, {
      region: [11, 0, 100, 50],
      size: [100, 50],
    });
    expectRefusal(await there.ask("/iiif/3/small.png/0,0,0.4,5/max/0/default.png"), [400]);
  });

  it("an identifier's backslash is a slash and its plus a space", async () => {
    const draw = (folder: string) => drawSmall(folder, "deep/a b.png");
    const [there, exact] = [await start(dialect, draw), await start({}, draw)];
    for (const identifier of ["deep%5Ca%20b.png", "deep%2Fa+b.png"]) {
      const path = `/iiif/3/${identifier}/info.json`;
      const answer = await there.ask(path);
      expect(answer.status, path).toBe(200);
      expect(JSON.parse(answer.body.toString()).id).toMatch(identifier);
      expect((await exact.ask(path)).status, path).toBe(404);
    }
    expect((await there.ask("/iiif/3/..%5Cdeep%2Fa%20b.png/info.json")).status).toBe(404);
  });

  it("a size may exceed a scale constraint by a pixel", async () => {
    const [there, exact] = [await start(dialect), await start()];
    for (const [version, size, status] of [
      [3, "751,", 200],
      [3, "753,", 403],
      [2, "751,", 200],
      [2, "753,", 403],
    ] as const) {
      const path = imagePath(version, "large.png;1:2", { size, format: "png" });
      expect((await there.ask(path)).status, path).toBe(status);
    }
    const path = imagePath(3, "large.png;1:2", { size: "751," });
    expectRefusal(await exact.ask(path), [400]);
  });

  it("a region may be as large as the image, and is never reduced to a limit", async () => {
    const server = await start({ ...dialect, max_pixels: 30_000 });
    for (const [version, region, size, outcome] of [
      [3, "0,0,150,100", "!200,200", [200, 133]],
      [2, "0,0,150,100", "!200,200", [200, 133]],
      [2, "0,0,150,100", "200,", [200, 133]],
      [3, "full", "!220,220", 403],
    ] as const) {
      const answer = await server.ask(
        imagePath(version, "small.png", { region, size, format: "png" }),
      );
      if (typeof outcome === "number") expectRefusal(answer, [outcome]);
      else expect(await sizeOf(answer.body)).toEqual(outcome);
    }
  });

  it.each<[ApiVersion, string, number, number]>([
    [3, "full/301,/0/default.png", 400, 400],
    [3, "full/^301,/0/default.png", 501, 400],
    [2, "full/301,/0/default.png", 400, 403],
    [2, "full/pct:101/0/default.png", 400, 403],
    [2, "0,0,10,10/pct:200/0/default.png", 400, 403],
    [3, "full/299,199/0/default.png", 400, 403],
    [3, "full/max/0/default.xyz", 400, 415],
    [2, "full/max/0/default.jpeg", 400, 415],
    [1, "full/full/0/native.xyz", 415, 415],
  ])(
    "version %s of %s is rejected with %s, in Cantaloupe's dialect with %s",
    async (version, path, here, there) => {
      const limits = { max_pixels: 50_000 };
      const [exact, other] = [await start(limits), await start({ ...dialect, ...limits })];
      expectRefusal(await exact.ask(`/iiif/${version}/small.png/${path}`), [here]);
      expectRefusal(await other.ask(`/iiif/${version}/small.png/${path}`), [there]);
    },
  );

  it("a missing page is a bad request", async () => {
    const [there, exact] = [await start(dialect), await start()];
    for (const path of [imagePath(3, "small.png;7"), infoPath(2, "small.png;7")]) {
      expect((await there.ask(path)).status).toBe(400);
      expect((await exact.ask(path)).status).toBe(404);
    }
  });
});

const sizeOf = async (body: Buffer): Promise<readonly number[]> => {
  const { width, height } = await sharp(body).metadata();
  return [width, height];
};

describe("cache=nocache", () => {
  it("omits Cache-Control if configured", async () => {
    const there = await start(asThere("cache.client.on_nocache"));
    const usual = await start();
    const paths = [imagePath(3, "small.png"), infoPath(2, "small.png"), "/iiif/3/small.png"];
    for (const path of paths) {
      for (const value of ["nocache", "false"]) {
        expect(
          (await there.ask(`${path}?cache=${value}`)).headers["cache-control"],
        ).toBeUndefined();
        expect((await usual.ask(`${path}?cache=${value}`)).headers["cache-control"]).toBeDefined();
      }
      expect((await there.ask(`${path}?cache=recache`)).headers["cache-control"]).toBeDefined();
      expect((await there.ask(path)).headers["cache-control"]).toBeDefined();
    }
  });
});

describe("whole files", () => {
  const turned = async (): Promise<Buffer> =>
    asImage(small)
      .jpeg()
      .withExif({ IFD0: { Copyright: "somebody", Orientation: "6" } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
  const draw = async (folder: string): Promise<void> => {
    await writeFile(join(folder, "turned.jpg"), await turned());
    await asImage(small).tiff({ compression: "lzw" }).toFile(join(folder, "plain.tif"));
    await asImage(small).ensureAlpha(0.5).png().toFile(join(folder, "clear.png"));
    await drawPictures(folder);
  };

  it("are sent with everything in them if configured", async () => {
    const server = await start(asThere("processor.whole_files"), draw);
    for (const [path, name] of [
      ["/iiif/3/turned.jpg/full/max/0/default.jpg", "turned.jpg"],
      ["/iiif/2/turned.jpg/full/full/0/color.jpg", "turned.jpg"],
      ["/iiif/3/turned.jpg/0,0,200,300/200,300/0/default.jpg", "turned.jpg"],
      ["/iiif/3/clear.png/full/max/0/default.png", "clear.png"],
      ["/iiif/3/plain.tif/full/max/0/default.tif", "plain.tif"],
      ["/iiif/3/large.tif/full/max/0/default.tif", "large.tif"],
    ] as const) {
      const { status, body } = await server.ask(path);
      expect([status, body.equals(await fileIn(server, name))], path).toEqual([200, true]);
    }
  });

  it("are rendered if anything is done to them", async () => {
    const server = await start(asThere("processor.whole_files"), draw);
    const file = await fileIn(server, "turned.jpg");
    for (const path of [
      "/iiif/3/turned.jpg/full/max/90/default.jpg",
      "/iiif/3/turned.jpg/full/max/!0/default.jpg",
      "/iiif/3/turned.jpg/full/199,/0/default.jpg",
      "/iiif/3/turned.jpg/0,0,200,299/max/0/default.jpg",
      "/iiif/3/turned.jpg/full/max/0/gray.jpg",
      "/iiif/3/turned.jpg/full/max/0/default.png",
      "/iiif/3/turned.jpg;1:2/full/max/0/default.jpg",
    ]) {
      const { status, body } = await server.ask(path);
      expect([status, body.equals(file)], path).toEqual([200, false]);
    }
  });

  it("are stripped otherwise", async () => {
    const server = await start({}, draw);
    const { body } = await server.ask("/iiif/3/turned.jpg/full/max/0/default.jpg");
    const { exif, orientation } = await sharp(body).metadata();
    expect([exif, orientation]).toEqual([undefined, undefined]);
  });
});

const fileIn = async ({ folder }: TestServer, name: string): Promise<Buffer> => {
  return readFile(join(folder, name));
};

describe("a deleted image", () => {
  const cached = {
    "cache.server.derivative.enabled": true,
    "cache.server.derivative": "HeapCache",
    "cache.server.info.trust_seconds": 0,
  };
  const paths = [imagePath(3, "small.png", { size: "90," }), infoPath(3, "small.png")];

  it("is served as far as it is cached, if configured", async () => {
    const server = await start({ ...cached, ...asThere("cache.server.serve_missing") });
    for (const path of paths) expect((await server.ask(path)).status).toBe(200);
    await rm(join(server.folder, "small.png"));
    for (const path of paths) expect((await server.ask(path)).status).toBe(200);
    for (const path of [
      imagePath(3, "small.png", { size: "91," }),
      `${paths[0]}?cache=nocache`,
      infoPath(3, "other.png"),
    ])
      expect((await server.ask(path)).status, path).toBe(404);
  });

  it("is served from a cache that another server filled", async () => {
    const values = {
      ...cached,
      ...asThere("cache.server.serve_missing"),
      "cache.server.derivative": "FilesystemCache",
      "FilesystemCache.pathname": await temporaryFolder(),
    };
    const first = await start(values);
    for (const path of paths) expect((await first.ask(path)).status).toBe(200);
    await first.close();
    servers.splice(0);
    const second = await start(values, (folder) => drawSmall(folder, "other.png"));
    for (const path of paths) expect((await second.ask(path)).status).toBe(200);
    expect((await second.ask(imagePath(3, "small.png", { size: "91," }))).status).toBe(404);
  });

  it("is served from the source again once it is back", async () => {
    const server = await start({ ...cached, ...asThere("cache.server.serve_missing") });
    await server.ask(paths[0] ?? "");
    await rm(join(server.folder, "small.png"));
    await server.ask(paths[0] ?? "");
    await asImage(large).png().toFile(join(server.folder, "small.png"));
    const { body } = await server.ask(infoPath(3, "small.png"));
    expect(JSON.parse(body.toString())).toMatchObject({ width: 1500 });
  });

  it.each([
    ["usually", {}],
    [
      "where sources are asked first",
      { ...asThere("cache.server.serve_missing"), "cache.server.resolve_first": true },
    ],
  ])("is missing at once, %s", async (_, values) => {
    const server = await start({ ...cached, ...values });
    for (const path of paths) expect((await server.ask(path)).status).toBe(200);
    await rm(join(server.folder, "small.png"));
    for (const path of paths) expect((await server.ask(path)).status).toBe(404);
  });
});
