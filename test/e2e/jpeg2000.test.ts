import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Config } from "../../src/config/store.ts";
import { createCodecs } from "../../src/formats/index.ts";
import { Resources } from "../../src/formats/pool/resources.ts";
import { drawing, jpeg2000File } from "../jpeg2000-files.ts";
import { assemble, difference, type Pixels, pixelsOf } from "../likeness.ts";
import { memoryReader } from "../readers.ts";
import { json, startServer, type TestServer } from "./app.ts";

const names = ["tiles.jp2", "precincts.jp2", "blocks.j2c"] as const;

let server: TestServer;
beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      for (const name of names) await writeFile(join(folder, name), await jpeg2000File(name));
    },
    { "endpoint.iiif.min_tile_size": 64 },
  );
});
afterAll(() => server.close());

interface Information {
  readonly width: number;
  readonly height: number;
  readonly tiles: readonly {
    readonly width: number;
    readonly height?: number;
    readonly scaleFactors: readonly number[];
  }[];
}

const pixelsAt = async (path: string): Promise<Pixels> => {
  const { status, body } = await server.ask(path);
  expect(status, `${path}: ${body.subarray(0, 300)}`).toBe(200);
  return pixelsOf(body);
};

describe.each(names)("%s", (name) => {
  const base = `/iiif/3/${name}`;

  it("lists the tiles and scale factors it contains", async () => {
    const info = json(await server.ask(`${base}/info.json`)) as Information;
    expect(info).toMatchObject({ width: 301, height: 219 });
    const factors = info.tiles.flatMap(({ scaleFactors }) => scaleFactors);
    expect(factors).toEqual(expect.arrayContaining([1, 2]));
  });

  it("is served in tiles that join to the whole, at every scale factor", async () => {
    const { width, height, tiles } = json(await server.ask(`${base}/info.json`)) as Information;
    for (const { width: across, height: down = across, scaleFactors } of tiles)
      for (const factor of scaleFactors) {
        const whole = { width: Math.ceil(width / factor), height: Math.ceil(height / factor) };
        const placed = [];
        for (let y = 0; y < height; y += down * factor)
          for (let x = 0; x < width; x += across * factor) {
            const [w, h] = [
              Math.min(across * factor, width - x),
              Math.min(down * factor, height - y),
            ];
            const size = `${Math.ceil(w / factor)},${Math.ceil(h / factor)}`;
            const pixels = await pixelsAt(`${base}/${x},${y},${w},${h}/${size}/0/default.png`);
            placed.push({ x: x / factor, y: y / factor, pixels });
          }
        const together = assemble(whole, placed);
        const at = `${base}/full/${whole.width},${whole.height}/0/default.png`;
        expect(difference(together, await pixelsAt(at)).max).toBe(0);
      }
  });

  it("shows the image, as JPEG too", async () => {
    const shown = await pixelsAt(`${base}/full/max/0/default.jpg`);
    expect(difference(shown, drawing()).mean).toBeLessThan(3);
    const turned = await pixelsAt(`${base}/10,20,100,50/50,/90/gray.png`);
    expect([turned.width, turned.height]).toEqual([25, 50]);
  });
});

it("writes JPEG 2000, and reads it again", async () => {
  const answer = await server.ask("/iiif/3/tiles.jp2/full/max/0/default.jp2");
  expect(answer).toMatchObject({ status: 200, headers: { "content-type": "image/jp2" } });
  const reader = memoryReader(answer.body);
  const { decoder } = await createCodecs(new Resources(new Config()))("jp2");
  const info = await decoder?.info(reader, new AbortController().signal);
  expect(info?.pages[0].colour).toMatchObject({ model: "rgb", bits: 8 });
});
