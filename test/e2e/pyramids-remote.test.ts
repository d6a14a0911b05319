import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Images } from "../../src/service/images.ts";
import { type Origin, startOrigin } from "../servers/origin.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { startServer, type TestServer } from "./app.ts";
import { asImage, drawGrid } from "./grid.ts";
import { pyramidFiles } from "./pyramid-files.ts";

const size = { width: 3_001, height: 2_503 };

let origin: Origin;
let server: TestServer | undefined;
/** Whether the last prepared request uses a pyramid. */
let isUsed = false;

beforeEach(async () => {
  origin = await startOrigin();
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  await origin.close();
});

const watched = (images: Images): Images => ({
  ...images,
  async prepare(...asked) {
    const prepared = await images.prepare(...asked);
    isUsed = prepared.pyramid !== undefined;
    return prepared;
  },
  prepareSync(...asked) {
    const prepared = images.prepareSync(...asked);
    if (prepared) isUsed = prepared.pyramid !== undefined;
    return prepared;
  },
});

/** Starts a server on the origin; returns the folder of pyramids. */
const start = async (values: Readonly<Record<string, unknown>> = {}) => {
  const [made, copies] = [await temporaryFolder(), await temporaryFolder()];
  isUsed = false;
  server = await startServer(
    async () => {},
    {
      "source.static": "HttpSource",
      "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base}/`,
      "pyramids.folder": made,
      "pyramids.niceness": 0,
      "pyramids.min_pixels": 1_000_000,
      "cache.server.derivative.enabled": false,
      "cache.server.source": "FilesystemCache",
      "FilesystemCache.pathname": copies,
      ...values,
    },
    { around: { images: watched, source: (one) => one } },
  );
  return { made };
};

const picture = () => asImage(drawGrid(size.width, size.height, { square: 301, seed: 3 }));

/** Requests something that is slow: a tile of a JPEG, or an overview of a TIFF in strips. */
const view = async (name: string, n: number): Promise<number> => {
  const path = name.endsWith(".jpg")
    ? `${(n % 5) * 512},1536,512,512/512,512`
    : `full/${520 + (n % 50)},`;
  return (await server?.ask(`/iiif/3/${name}/${path}/0/default.jpg`))?.status ?? 0;
};

/** Requests views until `isDone`. */
const zoomUntil = async (name: string, isDone: () => Promise<boolean>): Promise<void> => {
  for (let attempt = 0; !(await isDone()); attempt++) {
    if (attempt > 400) throw new Error("Nothing came of 400 requests.");
    expect(await view(name, attempt)).toBe(200);
    await pause(50);
  }
};

/** Expects that all further views cost the origin a byte each at most, to validate the image. */
const expectNoBodies = async (name: string): Promise<void> => {
  origin.requests.length = 0;
  origin.sent = 0;
  for (let n = 0; n < 20; n++) expect(await view(name, n)).toBe(200);
  expect(isUsed).toBe(true);
  expect(origin.sent).toBeLessThanOrEqual(20);
  for (const { headers } of origin.requests) expect(headers.range).toBe("bytes=0-0");
};

describe("an image on a web server that is slow to zoom", () => {
  it("is downloaded once, and only validated after that", async () => {
    const bytes = await picture().jpeg({ quality: 92 }).toBuffer();
    origin.files.set("/a.jpg", { bytes, etag: '"one"' });
    await start();
    await zoomUntil("a.jpg", async () => isUsed);
    const whole = origin.requests.filter(({ headers }) => headers.range === undefined);
    expect(whole).toHaveLength(1);
    await expectNoBodies("a.jpg");
  });

  it("deletes its download once it has a pyramid", async () => {
    const bytes = await picture().tiff({ compression: "lzw", tile: false }).toBuffer();
    origin.files.set("/a.tif", { bytes, etag: '"one"' });
    const { made } = await start();
    await zoomUntil("a.tif", async () => isUsed);
    expect(await pyramidFiles(made, "source")).toEqual([]);
    expect(await pyramidFiles(made, ".tif")).toHaveLength(1);
    await expectNoBodies("a.tif");
  });

  it("gets no pyramid if its file is too large to download, with the reason", async () => {
    const bytes = await picture().tiff({ compression: "lzw", tile: false }).toBuffer();
    origin.files.set("/a.tif", { bytes, etag: '"one"' });
    const { made } = await start({ "pyramids.max_download": 1_000 });
    await zoomUntil("a.tif", async () => (await pyramidFiles(made, ".failed")).length > 0);
    expect(await pyramidFiles(made, ".tif")).toEqual([]);
    expect(await readdir(join(made))).not.toContainEqual(expect.stringMatching(/^job-/));
  });
});
