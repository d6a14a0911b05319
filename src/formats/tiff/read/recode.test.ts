import sharp, { type TiffOptions } from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import type { Rect } from "../../../core/geometry.ts";
import { complete } from "../../../core/steps.ts";
import { headSegments, markers } from "../../containers/jpeg-segments.ts";
import { createTileThreads } from "../../fast-jpeg/tile-threads.ts";
import { decodingKeys } from "../../shared/keys.ts";
import { createTiffDecoder } from "../decoder.ts";
import { readPages } from "../structure/pages.ts";
import { readTiff } from "../structure/walk.ts";
import { readForThreads } from "./direct.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);
const threads = createTileThreads(() => ({ threads: 2, ms: 20_000 }));
afterAll(() => threads.close());

const size = { width: 200, height: 150 };
const recoding = {
  ...plan,
  format: "jpg",
  encoding: { quality: 95, subsampling: "4:4:4" },
} as const;

const drawn = (channels: 1 | 3) => {
  const data = Buffer.alloc(size.width * size.height * channels);
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [Math.floor(at / channels) % size.width, Math.floor(at / channels / size.width)];
    data[at] = [x, y, (x + y) / 2][at % channels] ?? 0;
  }
  return sharp(data, { raw: { ...size, channels } }).toColourspace(channels === 1 ? "b-w" : "srgb");
};

const tiff = (channels: 1 | 3, options: TiffOptions): Promise<Buffer> =>
  drawn(channels)
    .tiff({ tile: true, tileWidth: 64, tileHeight: 64, ...options })
    .toBuffer();

const recode = async (bytes: Uint8Array, region: Rect, changes: Partial<typeof plan> = {}) => {
  const decoder = createTiffDecoder(settings, { threads });
  const reader = memoryReader(bytes);
  const info = await decoder.info(reader, signal);
  const part = { page: 0, level: 0, region, profiled: info.pages[0].colour.profile === "kept" };
  const steps = decoder.recode?.(reader, info, part, { ...recoding, ...changes });
  return steps && complete(steps, reader, signal);
};

/** The tiles of a region in the form that threads get. */
const readJob = async (bytes: Uint8Array, region: Rect) => {
  function* read() {
    const file = yield* readTiff(bytes.length);
    const [level] = (yield* readPages(file))[0];
    return (yield* readForThreads(file, level, { region }))?.job;
  }
  return complete(read(), memoryReader(bytes), signal);
};

const meanDifference = async (jpeg: Uint8Array, region: Rect, channels: 1 | 3): Promise<number> => {
  const wanted = await drawn(channels)
    .extract({ left: region.x, top: region.y, width: region.width, height: region.height })
    .raw()
    .toBuffer();
  const shown = await sharp(jpeg, { ignoreIcc: true })
    .toColourspace(channels === 1 ? "b-w" : "srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(shown.info).toMatchObject({ width: region.width, height: region.height, channels });
  return (
    wanted.reduce((sum, value, at) => sum + Math.abs(value - (shown.data[at] ?? 0)), 0) /
    wanted.length
  );
};

const regions = {
  "one tile": { x: 64, y: 64, width: 64, height: 64 },
  "two by two tiles": { x: 0, y: 0, width: 128, height: 128 },
  "the padded corner": { x: 192, y: 128, width: 8, height: 22 },
  "parts of many tiles": { x: 50, y: 10, width: 100, height: 131 },
  "all of it": { x: 0, y: 0, ...size },
} as const satisfies Record<string, Rect>;

const encodings = {
  none: { compression: "none" },
  "deflate with a predictor": { compression: "deflate", predictor: "horizontal" },
  deflate: { compression: "deflate", predictor: "none" },
  "LZW with a predictor": { compression: "lzw", predictor: "horizontal" },
  LZW: { compression: "lzw", predictor: "none" },
  JPEG: { compression: "jpeg", quality: 95 },
  WebP: { compression: "webp", quality: 98 },
} as const satisfies Record<string, TiffOptions>;

const encodes = await threads.available();
const skipped = encodes
  ? ""
  : " (skipped: the optional package @julusian/jpeg-turbo cannot be loaded)";

describe.skipIf(!encodes)(`a JPEG encoded from tiles without libvips${skipped}`, () => {
  test.each(Object.entries(encodings))("looks like the source: %s", async (name, options) => {
    const bytes = await tiff(3, options);
    for (const [where, region] of Object.entries(regions)) {
      const jpeg = await recode(bytes, region);
      if (jpeg === undefined) throw new Error(`Expected a JPEG of ${where}.`);
      expect(await meanDifference(jpeg, region, 3), `${name}, ${where}`).toBeLessThan(2.5);
    }
  });

  test("keeps grey images grey", async () => {
    for (const options of [encodings.LZW, encodings["deflate with a predictor"], encodings.JPEG]) {
      const jpeg = await recode(await tiff(1, options), regions["parts of many tiles"]);
      if (jpeg === undefined) throw new Error("Expected a JPEG.");
      expect(await meanDifference(jpeg, regions["parts of many tiles"], 1)).toBeLessThan(2.5);
    }
  });

  test("carries a profile that is kept", async () => {
    const bytes = await drawn(3)
      .withIccProfile("p3")
      .tiff({ tile: true, tileWidth: 64, tileHeight: 64, compression: "lzw" })
      .toBuffer();
    const jpeg = await recode(bytes, regions["one tile"]);
    const segments = headSegments(jpeg ?? new Uint8Array()) ?? [];
    expect(segments.map(({ marker }) => marker)).toContain(markers.app2);
    expect((await sharp(jpeg).metadata()).icc?.length).toBeGreaterThan(0);
  });

  test("is left to libvips for progressive or optimised output", async () => {
    const bytes = await tiff(3, encodings.LZW);
    for (const wish of [{ progressive: true }, { optimise: true }])
      expect(
        await recode(bytes, regions["one tile"], { encoding: { quality: 80, ...wish } }),
      ).toBeUndefined();
  });

  test.each([
    ["16 bits", () => drawn(3).toColourspace("rgb16").tiff({ tile: true, compression: "lzw" })],
    ["transparency", () => drawn(3).ensureAlpha().tiff({ tile: true, compression: "lzw" })],
    ["strips", () => drawn(3).tiff({ compression: "lzw" })],
  ] as const)("is left to libvips for %s", async (_, make) => {
    expect(await recode(await make().toBuffer(), regions["one tile"])).toBeUndefined();
  });

  test("is left to libvips when a tile is damaged", async () => {
    const bytes = await tiff(3, encodings.deflate);
    const read = await readJob(bytes, regions["one tile"]);
    const tile = Buffer.from(read?.tiles[0]?.bytes ?? new Uint8Array());
    bytes.fill(0xff, bytes.indexOf(tile) + 20, bytes.indexOf(tile) + 60);
    expect(await recode(bytes, regions["one tile"])).toBeUndefined();
  });

  test("is cancelled by its signal without affecting the next one", async () => {
    const bytes = await tiff(3, encodings.LZW);
    const read = async () => {
      const job = await readJob(bytes, regions["all of it"]);
      if (job === undefined) throw new Error("Expected tiles.");
      return { ...job, quality: 80, subsampling: "4:2:0" } as const;
    };
    // So many tiles that threads render them, whatever the size of one.
    const many = async () => {
      const job = await read();
      const tiles = Array.from({ length: 1_000 }, () => job.tiles).flat();
      return { ...job, tiles: tiles.map((tile) => ({ ...tile, bytes: tile.bytes.slice() })) };
    };
    const leaving = new AbortController();
    const drawing = threads.draw(await many(), leaving.signal);
    leaving.abort(new Error("left"));
    await expect(drawing).rejects.toThrow("left");
    const jpeg = await threads.draw(await many(), signal);
    expect((await sharp(jpeg).metadata()).width).toBe(size.width);
    // An aborted one is not rendered here either.
    await expect(threads.draw(await read(), leaving.signal)).rejects.toThrow("left");
  });
});
