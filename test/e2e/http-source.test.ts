import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Origin, startOrigin } from "../servers/origin.ts";
import { json, startServer, type TestServer } from "./app.ts";

let origin: Origin;
let server: TestServer;
let copies: string;

/** Noise, so that tiles have a realistic size. */
const noise = sharp({
  create: {
    width: 2_048,
    height: 1_536,
    channels: 3,
    background: "#888",
    noise: { type: "gaussian", mean: 128, sigma: 40 },
  },
});

beforeAll(async () => {
  origin = await startOrigin();
  copies = await mkdtemp(join(tmpdir(), "vitrine-copies-test-"));
  const pyramid = await noise
    .clone()
    .tiff({ tile: true, pyramid: true, tileWidth: 256, tileHeight: 256, compression: "jpeg" })
    .toBuffer();
  const jpeg = await noise.clone().jpeg({ quality: 95 }).toBuffer();
  origin.files.set("/map.tif", { bytes: pyramid, etag: '"tif"' });
  origin.files.set("/plain.jpg", { bytes: jpeg, etag: '"jpg"' });
  server = await startServer(async () => {}, {
    "source.static": "HttpSource",
    "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base}/`,
    "cache.server.derivative.enabled": false,
    "processor.max_running": 1,
    "source.attempts": 1,
    "source.response_timeout": 3,
    // So that nothing is looked up again while requests are counted.
    "cache.server.info.trust_seconds": 600,
    "cache.server.source": "FilesystemCache",
    "FilesystemCache.pathname": copies,
  });
});

beforeEach(() => {
  origin.requests.length = 0;
  origin.sent = 0;
  origin.fault = () => undefined;
});

afterAll(async () => {
  await server?.close();
  await origin?.close();
  await rm(copies, { recursive: true, force: true });
});

const widthOf = async (path: string): Promise<number | undefined> => {
  const { status, body } = await server.ask(path);
  expect([status, body.length > 100]).toEqual([200, true]);
  return (await sharp(body).metadata()).width;
};

describe("images on a web server", () => {
  it("are read in few requests: a pyramid's info, its first tile, and one for each further tile", async () => {
    const info = json(await server.ask("/iiif/3/map.tif/info.json"));
    expect([info.width, info.height]).toEqual([2_048, 1_536]);
    expect(origin.requests.length).toBeLessThanOrEqual(3);
    expect(origin.sent).toBeLessThanOrEqual(262_144);
    expect(await widthOf("/iiif/3/map.tif/512,512,256,256/256,/0/default.jpg")).toBe(256);
    expect(origin.requests.length).toBeLessThanOrEqual(4);
    origin.requests.length = 0;
    origin.sent = 0;
    expect(await widthOf("/iiif/3/map.tif/1024,1024,256,256/256,/0/default.jpg")).toBe(256);
    expect(origin.requests).toHaveLength(1);
    expect(origin.sent).toBeLessThan(65_536 + 65_536);
  });

  it("are downloaded once if needed as a whole, for all concurrent requests", async () => {
    const parts = ["0,0,512,512/256,", "512,512,512,512/256,", "full/300,", "full/200,"];
    const widths = await Promise.all(
      parts.map((part) => widthOf(`/iiif/3/plain.jpg/${part}/0/default.jpg`)),
    );
    expect(widths).toEqual([256, 256, 300, 200]);
    const whole = origin.requests.filter(({ headers }) => headers.range === undefined);
    expect(whole).toHaveLength(1);
    expect(origin.requests).toHaveLength(2);
    await widthOf("/iiif/3/plain.jpg/full/123,/0/default.jpg");
    expect(origin.requests).toHaveLength(2);
  });

  it("are downloaded as a whole if their server does not support ranges", async () => {
    const file = origin.files.get("/map.tif");
    if (file) origin.files.set("/whole.tif", file);
    origin.fault = () => "no ranges";
    expect(await widthOf("/iiif/3/whole.tif/0,0,512,512/256,/0/default.jpg")).toBe(256);
    expect(origin.requests.length).toBeLessThanOrEqual(2);
    expect(await widthOf("/iiif/3/whole.tif/512,0,512,512/256,/0/default.jpg")).toBe(256);
    expect(origin.requests.length).toBeLessThanOrEqual(2);
  });

  it("cause 404, 403, 502 or 504 without internal details when they cannot be read", async () => {
    for (const [fault, status] of [
      ["404", 404],
      ["403", 403],
      ["500", 502],
      ["other range", 502],
      ["circle", 502],
    ] as const) {
      const name = `not-${fault.replace(" ", "-")}.tif`;
      origin.files.set(`/${name}`, { bytes: Buffer.alloc(100) });
      origin.fault = () => fault;
      const answer = await server.ask(`/iiif/3/${name}/info.json`);
      expect([fault, answer.status]).toEqual([fault, status]);
      const body = answer.body.toString();
      expect(body).not.toContain(new URL(origin.base).host);
      expect(body).not.toMatch(/Content-Range|node:|\.ts\b/);
    }
  });

  it("are rendered while others wait for a server that hangs", async () => {
    const file = origin.files.get("/map.tif");
    if (file) origin.files.set("/hanging.tif", file);
    await server.ask("/iiif/3/hanging.tif/info.json");
    origin.fault = ({ path }) => (path === "/hanging.tif" ? "hang" : undefined);
    origin.requests.length = 0;
    let isOver = false;
    const hanging = Promise.all(
      [0, 1, 2].map((x) =>
        server.ask(`/iiif/3/hanging.tif/${x * 600 + 3},700,400,400/399,/0/default.png`),
      ),
    ).finally(() => {
      isOver = true;
    });
    await expect.poll(() => origin.requests.length).toBeGreaterThan(0);
    expect(await widthOf("/iiif/3/map.tif/3,3,700,700/77,/0/default.png")).toBe(77);
    expect(isOver).toBe(false);
    expect((await hanging).map(({ status }) => status)).toEqual([504, 504, 504]);
  });

  it("are read again when replaced while in use", async () => {
    const changing = async (background: string, etag: string) => ({
      bytes: await sharp({ create: { width: 1_024, height: 1_024, channels: 3, background } })
        .tiff({ tile: true, pyramid: true, tileWidth: 256, tileHeight: 256, compression: "none" })
        .toBuffer(),
      etag,
    });
    origin.files.set("/changing.tif", await changing("#f00", '"red"'));
    const tile = (x: number) => `/iiif/3/changing.tif/${x},512,256,256/256,/0/default.png`;
    const redOf = async (x: number) => {
      const { status, body } = await server.ask(tile(x));
      expect(status).toBe(200);
      return (await sharp(body).stats()).channels[0]?.mean;
    };
    expect(await redOf(0)).toBe(255);
    origin.files.set("/changing.tif", await changing("#00f", '"blue"'));
    expect(await redOf(512)).toBe(0);
  });
});
