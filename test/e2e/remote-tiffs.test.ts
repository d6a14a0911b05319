import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noisePyramid, placesIn, relinked, remarked } from "../tiff-links.ts";
import { json, startServer } from "./app.ts";
import { expectAlike, expectAllAlike, type Pair, startPair } from "./local-and-remote.ts";

let pair: Pair;
let pyramid: Uint8Array;
let odd: Uint8Array;
let pages: Uint8Array;

beforeAll(async () => {
  pair = await startPair();
  pyramid = await noisePyramid();
  odd = await noisePyramid({ width: 1_999, height: 777, tile: 64 });
  const place = (directory: number): number => placesIn(pyramid)[directory]?.at ?? 0;
  pages = relinked(remarked(pyramid, 3, 0), 1, place(3));
  for (const name of ["pyramid", "counted", "viewed", "replaced"])
    await pair.put(`${name}.tif`, pyramid);
  await pair.put("odd.tif", odd);
  await pair.put("pages.tif", pages);
  await pair.put("accident.tif", relinked(remarked(remarked(pyramid, 1, 0), 3, 0), 1, place(3)));
  await pair.put("loop.tif", relinked(pyramid, 3, place(1)));
  await pair.put("broken.tif", relinked(pyramid, 2, pyramid.length + 10));
}, 60_000);

afterAll(() => pair?.close());

beforeEach(() => {
  pair.origin.requests.length = 0;
  pair.origin.sent = 0;
});

describe("remote TIFFs are served like local ones", () => {
  it.each(["pyramid.tif", "odd.tif", "pages.tif", "accident.tif"])(
    "%s",
    (name) => expectAllAlike(name, pair),
    60_000,
  );

  it("whatever is requested first", async () => {
    await pair.put("second.tif", pages);
    await expectAlike("/iiif/3/second.tif;2/info.json", pair);
    await pair.put("small.tif", pyramid);
    await expectAlike("/iiif/3/small.tif/full/90,/0/default.jpg", pair);
    await pair.put("third.tif", pages);
    await expectAlike("/iiif/3/third.tif;3/info.json", pair);
  });
});

describe("the first requests for a remote pyramid", () => {
  it("cost at most three requests and 256 KiB for info.json, and one more for a tile", async () => {
    const info = await pair.remote.ask("/iiif/3/counted.tif/info.json");
    expect(info.status).toBe(200);
    expect(pair.origin.requests).toHaveLength(3);
    expect(pair.origin.sent).toBeLessThanOrEqual(262_144);
    for (const x of [128, 640, 1_152]) {
      pair.origin.requests.length = 0;
      const tile = await pair.remote.ask(
        `/iiif/3/counted.tif/${x},256,128,128/128,128/0/default.png`,
      );
      expect([tile.status, pair.origin.requests.length]).toEqual([200, 1]);
    }
  });

  it("cost no more than before for a small tile after info.json", async () => {
    await pair.remote.ask("/iiif/3/viewed.tif/info.json");
    const tile = await pair.remote.ask("/iiif/3/viewed.tif/0,0,1501,1203/188,151/0/default.jpg");
    expect(tile.status).toBe(200);
    expect(pair.origin.requests.length).toBeLessThanOrEqual(6);
  });

  it("notice that the file was replaced in between", async () => {
    const path = "/iiif/3/replaced.tif";
    expect(json(await pair.remote.ask(`${path}/info.json`)).width).toBe(1_501);
    await pair.put("replaced.tif", odd);
    await expectAlike(`${path}/full/200,/0/default.png`, pair);
    await expectAlike(`${path}/info.json`, pair);
  });
});

describe("a remote pyramid with corrupt later directories", () => {
  it.each(["loop.tif", "broken.tif"])(
    "is rejected once more than its beginning is needed: %s",
    async (name) => {
      const base = `/iiif/3/${name}`;
      const beginning = await pair.remote.ask(`${base}/0,0,128,128/128,128/0/default.png`);
      const sound = await pair.local.ask("/iiif/3/pyramid.tif/0,0,128,128/128,128/0/default.png");
      expect([beginning.status, beginning.body.equals(sound.body)]).toEqual([200, true]);
      await expectAlike(`${base}/full/100,/0/default.png`, pair);
      await expectAlike(`${base};2/info.json`, pair);
      expect((await pair.remote.ask(`${base}/info.json`)).status).toBe(200);
    },
  );
});

/** Denies images with only one page. */
const rules = `
export default class CustomDelegate {
  authorize(_options, { page_count }) {
    return page_count > 1;
  }
}
`;

it("a delegate gets the number of pages, whatever is known of the image", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-remote-delegate-"));
  const script = join(folder, "delegate.mjs");
  await writeFile(script, rules);
  const server = await startServer(async () => {}, {
    "source.static": "HttpSource",
    "HttpSource.BasicLookupStrategy.url_prefix": `${pair.origin.base}/`,
    "cache.server.derivative.enabled": false,
    "cache.server.info.trust_seconds": 600,
    "delegate_script.enabled": true,
    "delegate_script.pathname": script,
  });
  try {
    const tile = "0,0,128,128/128,128/0/default.jpg";
    const ask = async (name: string): Promise<number> =>
      (await server.ask(`/iiif/3/${name}/${tile}`)).status;
    expect(await ask("pages.tif")).toBe(200);
    expect(await ask("pages.tif")).toBe(200);
    expect(await ask("pyramid.tif")).toBe(403);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
