import { createReadStream } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fail } from "../../src/core/errors.ts";
import type { Source } from "../../src/core/source.ts";
import { startServer, type TestServer } from "./app.ts";

let server: TestServer;
let copies: string;
let downloads = 0;

/** The same images as if remote: they can only be downloaded whole. */
const remote = (source: Source, folder: () => string): Source => ({
  async find(identifier, context) {
    const { version, size } = await source.find(identifier, context);
    return {
      version,
      size,
      open: async () => fail("internal", "Expected a copy to be read, not the original."),
      download: async (signal) => {
        downloads++;
        return { length: size, body: createReadStream(join(folder(), identifier), { signal }) };
      },
    };
  },
});

beforeAll(async () => {
  copies = await mkdtemp(join(tmpdir(), "vitrine-copies-"));
  let folder = "";
  server = await startServer(
    async (made) => {
      folder = made;
      await sharp({ create: { width: 600, height: 400, channels: 3, background: "#369" } })
        .tiff({ tile: true, pyramid: true })
        .toFile(join(made, "map.tif"));
    },
    { "cache.server.source": "FilesystemCache", "FilesystemCache.pathname": copies },
    { around: { source: (source) => remote(source, () => folder), images: (images) => images } },
  );
});

afterAll(async () => {
  await server?.close();
  await rm(copies, { recursive: true });
});

describe("remote images with cached copies", () => {
  it("are served from a copy that is downloaded once", async () => {
    const answers = await Promise.all(
      ["info.json", "full/max/0/default.jpg", "0,0,256,256/max/0/default.png", "full/9,/0/gray.png"]
        .flatMap((rest) => [rest, rest])
        .map((rest) => server.ask(`/iiif/3/map.tif/${rest}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(new Array(8).fill(200));
    const { width } = await sharp(answers[2]?.body).metadata();
    expect(width).toBe(600);
    expect(downloads).toBe(1);
    const kept = await readdir(join(copies, "source"), { recursive: true });
    expect(kept.filter((name) => name.endsWith(".vtr"))).toHaveLength(1);
  });

  it("are downloaded again once their copy is gone", async () => {
    await rm(join(copies, "source"), { recursive: true });
    const { status } = await server.ask("/iiif/3/map.tif/full/77,/0/default.jpg");
    expect([status, downloads]).toEqual([200, 2]);
  });

  it("are missing if their source lacks them", async () => {
    expect((await server.ask("/iiif/3/none.tif/info.json")).status).toBe(404);
  });
});
