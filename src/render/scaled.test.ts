import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp, { type TiffOptions } from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { testPicture } from "../../test/drawing.ts";
import { difference, lineExcess, type Pixels, pixelsOf } from "../../test/likeness.ts";
import { plan as anyPlan } from "../../test/plans.ts";
import { memoryReader } from "../../test/readers.ts";
import { fromTiles, reducedSize } from "../../test/seams.ts";
import { answerBy, answerSync } from "../../test/ways.ts";
import { Config } from "../config/store.ts";
import type { Size } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { DecodedTiles } from "../formats/fast-jpeg/decoded-tiles.ts";
import type { ScaleJob } from "../formats/fast-jpeg/tile-job.ts";
import { createTileScaler } from "../formats/fast-jpeg/tile-scaling.ts";
import { createTileThreads, type TileThreads } from "../formats/fast-jpeg/tile-threads.ts";
import type { Decoder } from "../formats/shared/codec.ts";
import { decodingKeys } from "../formats/shared/keys.ts";
import { createTileDecoder } from "../formats/tiff/codecs/tile-decode.ts";
import { createTiffDecoder } from "../formats/tiff/decoder.ts";
import { loadTurbo } from "../formats/turbo/load.ts";
import { encoders } from "../formats/write/encode.ts";
import { render } from "./render.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);
const threads = createTileThreads(() => ({ threads: 2, ms: 20_000 }));
afterAll(() => threads.close());

const turbo = await loadTurbo();
const skipped = turbo ? "" : " (skipped: the optional package @julusian/jpeg-turbo is not there)";
const scaler = await createTileScaler();
const tileDecoder = await createTileDecoder(turbo);

/** Renders on this thread and encodes losslessly, so that images can be compared exactly. */
const lossless: TileThreads = {
  ...threads,
  available: async () => true,
  draw: async (job) => {
    if (!("level" in job)) throw new Error("Expected a picture to be scaled.");
    return png(job, scaler.scale(job, tileDecoder));
  },
};

const png = ({ across, down, samples }: ScaleJob, pixels: Uint8Array): Promise<Uint8Array> =>
  sharp(Buffer.from(pixels), {
    raw: { width: across.count, height: down.count, channels: samples },
  })
    .toColourspace(samples === 1 ? "b-w" : "srgb")
    .png({ compressionLevel: 1 })
    .toBuffer();

interface Opened {
  readonly decoder: Decoder;
  readonly reader: RangeReader;
  readonly info: ImageInfo;
}

const opened = async (
  file: Uint8Array,
  by: TileThreads,
  reading: typeof settings = settings,
  decoded?: DecodedTiles,
): Promise<Opened> => {
  const decoder = createTiffDecoder(reading, { threads: by, ...(decoded ? { decoded } : {}) });
  const reader = memoryReader(Uint8Array.from(file));
  return { decoder, reader, info: await decoder.info(reader, signal) };
};

/** A plan for all of the first page at its size. */
const planFor = ({ info }: Opened, changes: Partial<Plan> = {}): Plan => ({
  ...anyPlan,
  downscaleFilter: "bicubic",
  direct: true,
  encoding: { quality: 95, subsampling: "4:4:4" },
  crop: { x: 0, y: 0, ...info.pages[0].size },
  size: changes.crop ?? info.pages[0].size,
  ...changes,
});

const scaled = ({ decoder, reader, info }: Opened, plan: Plan): Promise<Uint8Array | undefined> =>
  answerBy("scaled", plan, { reader, info, codec: { decoder } });

const scaledAtOnce = (plan: Plan, { info, reader, decoder }: Opened): Uint8Array | undefined =>
  answerSync(["scaled"], plan, { size: reader.size, info, codec: { decoder } });

const scaledPixels = async (picture: Opened, changes: Partial<Plan>): Promise<Pixels> => {
  const answer = await scaled(picture, planFor(picture, changes));
  if (answer === undefined) throw new Error(`Expected a picture: ${JSON.stringify(changes)}`);
  return pixelsOf(answer);
};

/** The same by libvips. */
const drawnPixels = async (
  { decoder, reader, info }: Opened,
  changes: Partial<Plan>,
): Promise<Pixels> => {
  const plan = planFor({ decoder, reader, info }, { ...changes, direct: false, format: "png" });
  const codecs = { tif: { decoder }, png: { encoder: encoders.png } } as Parameters<
    typeof render
  >[3];
  return pixelsOf(await render(plan, reader, info, codecs, signal));
};

const pyramid = async (size: Size, options: TiffOptions = {}, grey = false): Promise<Buffer> => {
  const picture = sharp(await testPicture(size));
  return (grey ? picture.toColourspace("b-w") : picture)
    .tiff({
      compression: "deflate",
      predictor: "horizontal",
      tile: true,
      tileWidth: 64,
      tileHeight: 64,
      pyramid: true,
      ...options,
    })
    .toBuffer();
};

const tiled = (picture: Opened, factor: number, tile: number): Promise<Pixels> =>
  fromTiles(picture.info.pages[0].size, { factor, tile }, (wanted) =>
    scaledPixels(picture, wanted),
  );

/**
 * How far, in pixels, the second image lies to the right of and below the first: least squares
 * along the gradients of the first.
 */
const shiftOf = (one: Pixels, other: Pixels): readonly [number, number] => {
  const { data, width, height, channels } = one;
  const row = width * channels;
  let [xx, xy, yy, xd, yd] = [0, 0, 0, 0, 0];
  for (let y = 1; y < height - 1; y++)
    for (let n = channels; n < row - channels; n++) {
      const at = y * row + n;
      const across = ((data[at + channels] ?? 0) - (data[at - channels] ?? 0)) / 2;
      const down = ((data[at + row] ?? 0) - (data[at - row] ?? 0)) / 2;
      const apart = (data[at] ?? 0) - (other.data[at] ?? 0);
      xx += across ** 2;
      xy += across * down;
      yy += down ** 2;
      xd += across * apart;
      yd += down * apart;
    }
  const determinant = xx * yy - xy ** 2;
  return [(xd * yy - yd * xy) / determinant, (yd * xx - xd * xy) / determinant];
};

describe("an image scaled without libvips", () => {
  const sizes: readonly Size[] = [
    { width: 1001, height: 777 },
    { width: 640, height: 1024 },
  ];

  test.each(sizes)(
    "is the same in tiles as whole, at factors without a level ($width x $height)",
    async (size) => {
      for (const grey of [false, true]) {
        const picture = await opened(await pyramid(size, {}, grey), lossless);
        for (const factor of [3, 5, 6, 7, 13]) {
          const whole = await scaledPixels(picture, { size: reducedSize(size, factor) });
          for (const tile of [48, 64])
            expect(difference(await tiled(picture, factor, tile), whole)).toEqual({
              mean: 0,
              max: 0,
            });
        }
      }
    },
    60_000,
  );

  test.each(["bicubic", "lanczos3", "mitchell", "triangle"] as const)(
    "equals what libvips renders with %s, in the same position",
    async (downscaleFilter) => {
      const size = { width: 1024, height: 768 };
      const picture = await opened(await pyramid(size), lossless);
      for (const factor of [3, 5, 6]) {
        const changes = { size: reducedSize(size, factor), downscaleFilter };
        const [one, other] = await Promise.all([
          scaledPixels(picture, changes),
          drawnPixels(picture, changes),
        ]);
        expect(difference(one, other).mean).toBeLessThan(0.5);
        for (const shift of shiftOf(other, one)) expect(Math.abs(shift)).toBeLessThan(0.02);
      }
    },
    60_000,
  );

  test("equals what libvips renders for regions off the grid", async () => {
    const size = { width: 1024, height: 768 };
    const soft = await sharp(await testPicture(size))
      .blur(4)
      .tiff({ tile: true, tileWidth: 128, tileHeight: 128, pyramid: true, compression: "lzw" })
      .toBuffer();
    const picture = await opened(soft, lossless);
    for (const [crop, wanted] of [
      [
        { x: 101, y: 57, width: 700, height: 613 },
        { width: 300, height: 263 },
      ],
      [
        { x: 3, y: 5, width: 999, height: 701 },
        { width: 640, height: 449 },
      ],
      [
        { x: 500, y: 300, width: 524, height: 468 },
        { width: 77, height: 69 },
      ],
    ] as const) {
      const changes = { crop, size: wanted };
      const one = await scaledPixels(picture, changes);
      const other = await drawnPixels(picture, changes);
      expect(difference(one, other).mean).toBeLessThan(0.7);
    }
  }, 60_000);

  test("is about as bright as by libvips where JPEG tiles are decoded fast", async () => {
    const size = { width: 1024, height: 768 };
    const file = await pyramid(size, { compression: "jpeg", quality: 90 });
    const picture = await opened(file, lossless);
    const changes = { size: reducedSize(size, 3) };
    const one = await scaledPixels(picture, changes);
    const other = await drawnPixels(picture, changes);
    const brighter = one.data.reduce((sum, value, at) => sum + value - (other.data[at] ?? 0), 0);
    expect(Math.abs(brighter / one.data.length)).toBeLessThan(0.2);
  });

  test("repeats the last pixels of a level that lacks the page's last ones, as libvips is told to", async () => {
    const size = { width: 1001, height: 777 };
    const picture = await opened(await pyramid(size), lossless);
    const crop = { x: 872, y: 640, width: 129, height: 137 };
    const changes = { crop, size: reducedSize(crop, 2) };
    const one = await scaledPixels(picture, changes);
    expect(difference(one, await drawnPixels(picture, changes))).toEqual({ mean: 0, max: 0 });
  });

  test.each<[string, Partial<Plan>]>([
    ["mirrored", { mirror: true }],
    ["turned", { rotation: 90 }],
    ["grey", { quality: "gray" }],
    ["sharpened", { sharpen: 0.5 }],
    ["in linear light", { linear: true }],
    ["enlarged", { size: { width: 300, height: 400 } }],
    ["a PNG", { format: "png" }],
    ["progressive", { encoding: { quality: 80, progressive: true } }],
    ["for libvips by the settings", { direct: false }],
  ])("is left to libvips to be %s", async (_, changes) => {
    const size = { width: 256, height: 200 };
    const picture = await opened(await pyramid(size), lossless);
    const half = { size: { width: 100, height: 78 } };
    expect(await scaled(picture, planFor(picture, half))).toBeDefined();
    expect(await scaled(picture, planFor(picture, { ...half, ...changes }))).toBeUndefined();
  });

  test("works at the most awkward sizes, or is left to libvips", async () => {
    let came = 0;
    for (const size of [
      { width: 1, height: 1 },
      { width: 1, height: 900 },
      { width: 3_000, height: 2 },
      { width: 65, height: 63 },
    ])
      for (const grey of [false, true]) {
        const picture = await opened(await pyramid(size, { tileHeight: 16 }, grey), lossless);
        for (const wanted of [
          { width: 1, height: 1 },
          { width: size.width, height: 1 },
          { width: 1, height: size.height },
          size,
        ]) {
          const answer = await scaled(picture, planFor(picture, { size: wanted }));
          if (answer === undefined) continue;
          expect(await pixelsOf(answer)).toMatchObject(wanted);
          came++;
        }
      }
    expect(came).toBeGreaterThan(16);
  });

  test("is left to libvips above the maximum weights, tiles or pixels", async () => {
    const flat = sharp({ create: { width: 6_000, height: 3_000, channels: 3, background: "red" } });
    const one = await flat.tiff({ tile: true, compression: "lzw" }).toBuffer();
    const picture = await opened(one, lossless);
    for (const wanted of [
      { width: 3_000, height: 1_500 },
      { width: 4, height: 2 },
    ])
      expect(await scaled(picture, planFor(picture, { size: wanted }))).toBeUndefined();
  });
});

test("an image above the memory limit is left to libvips", async () => {
  const file = await pyramid({ width: 1001, height: 777 });
  const small = { size: reducedSize({ width: 1001, height: 777 }, 3) };
  const tight = () => ({ ...settings(), "processor.max_decoded_bytes": 100_000 });
  const [picture, refused] = [await opened(file, lossless), await opened(file, lossless, tight)];
  expect(await scaled(picture, planFor(picture, small))).toBeDefined();
  expect(await scaled(refused, planFor(refused, small))).toBeUndefined();
});

describe.skipIf(!turbo)(`a JPEG scaled in a thread${skipped}`, () => {
  const size = { width: 1001, height: 777 };
  const small = { size: reducedSize(size, 3) };

  test.each<[string, TiffOptions]>([
    ["deflate", {}],
    ["JPEG", { compression: "jpeg", quality: 95 }],
    ["WebP", { compression: "webp", quality: 95 }],
    ["no compression", { compression: "none" }],
  ])("shows the image, from tiles in %s", async (_, options) => {
    const picture = await opened(await pyramid(size, options), threads);
    const jpeg = await scaled(picture, planFor(picture, small));
    if (jpeg === undefined) throw new Error("Expected a JPEG.");
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", ...small.size });
    const apart = difference(await pixelsOf(jpeg), await drawnPixels(picture, small));
    expect(apart.mean).toBeLessThan(2.5);
  });

  test("has no seams between tiles", async () => {
    const picture = await opened(await pyramid(size, { compression: "jpeg" }), threads);
    const whole = await scaledPixels(picture, { size: reducedSize(size, 3) });
    const tiles = await tiled(picture, 3, 64);
    expect(difference(tiles, whole).mean).toBeLessThan(1);
    expect(lineExcess(tiles, whole, 64)).toBeLessThan(0.5);
  });

  test("has the profile if it is preserved", async () => {
    const file = await sharp(await testPicture({ width: 300, height: 200 }))
      .withIccProfile("p3")
      .tiff({ tile: true, tileWidth: 64, tileHeight: 64, compression: "lzw" })
      .toBuffer();
    const picture = await opened(file, threads);
    const jpeg = await scaled(picture, planFor(picture, { size: { width: 150, height: 100 } }));
    expect((await sharp(jpeg).metadata()).icc?.length).toBeGreaterThan(0);
  });

  test("is aborted with its signal", async () => {
    const { decoder, reader, info } = await opened(await pyramid(size), threads);
    const leaving = new AbortController();
    const plan = planFor({ decoder, reader, info }, small);
    const drawing = answerBy("scaled", plan, { reader, info, codec: { decoder } }, leaving.signal);
    leaving.abort(new Error("left"));
    await expect(drawing).rejects.toThrow("left");
  });

  test("is left to libvips if a tile is corrupt", async () => {
    const file = await pyramid(size, { compression: "deflate" });
    const picture = await opened(file.fill(0x5a, 2_000, Math.floor(file.length / 3)), threads);
    const plan = planFor(picture, { size: { width: 900, height: 699 } });
    expect(await scaled(picture, plan)).toBeUndefined();
  });
});

const corpus = fileURLToPath(new URL("../../../shared/corpus/tiff/", import.meta.url));
const isThere = existsSync(corpus);
if (!isThere) console.warn("The corpus is not beside the checkout: scaling it is not tested.");

/** The fast decoder of JPEG tiles is off by up to one step on average; the rest equals libvips. */
const pyramids = [
  ["pyramid/derived-webp-t256-subifd.tif", 0.5],
  ["pyramid/derived-lzw-t128-page.tif", 0.5],
  ["pyramid/derived-zstd-t128-subifd.tif", 0.5],
  ["pyramid/derived-jpeg-t256-subifd.tif", 1.1],
  ["pyramid/image_geos.tif", 1.1],
  ["pyramid/cog_rgb.tif", 1.1],
  ["pyramid/samvera_128.tif", 1.1],
  ["quad-tile.tif", 0.5],
] as const;

describe.runIf(isThere && turbo)("a real pyramid", () => {
  test.each(pyramids)("%s equals what libvips renders, in the same position", async (name, max) => {
    const picture = await opened(await readFile(corpus + name), lossless);
    const page = picture.info.pages[0].size;
    for (const factor of [3, 5, 6]) {
      const crop = { x: 0, y: 0, width: Math.min(page.width, 200 * factor), height: page.height };
      const changes = { crop, size: reducedSize(crop, factor) };
      const one = await scaledPixels(picture, changes);
      const other = await drawnPixels(picture, changes);
      expect(difference(one, other).mean).toBeLessThan(max);
      for (const shift of shiftOf(other, one)) expect(Math.abs(shift)).toBeLessThan(0.03);
    }
  });
});

describe(`cached decoded tiles${skipped}`, () => {
  test.skipIf(!turbo).each(["jpeg", "deflate"] as const)(
    "of %s give the same image, and are not read again",
    async (compression) => {
      const file = await pyramid({ width: 300, height: 220 }, { compression });
      const plain = await opened(file, threads);
      const kept = new DecodedTiles(8_388_608);
      const { reader, ...picture } = await opened(file, threads, settings, kept);
      let read = 0;
      const counting: RangeReader = {
        ...reader,
        size: reader.size,
        read: (...asked) => {
          read += asked[1];
          return reader.read(...asked);
        },
      };
      const wishes = [
        { size: { width: 100, height: 73 } },
        { size: { width: 100, height: 73 } },
        { size: { width: 90, height: 66 } },
        {
          crop: { x: 100, y: 60, width: 150, height: 130 },
          size: { width: 52, height: 45 },
        },
      ];
      const reads: number[] = [];
      for (const wish of wishes) {
        read = 0;
        const plan = planFor({ ...picture, reader }, wish);
        if (reads.length === 0) expect(scaledAtOnce(plan, { ...picture, reader })).toBeUndefined();
        const found = await scaled({ ...picture, reader: counting }, plan);
        reads.push(read);
        const wanted = await scaled(plain, plan);
        expect(found, JSON.stringify(wish)).toEqual(wanted);
        expect(scaledAtOnce(plan, { ...picture, reader })).toEqual(wanted);
      }
      expect(kept.bytes).toBeGreaterThan(50_000);
      expect(reads[0]).toBeGreaterThan(0);
      expect(reads.slice(1)).toEqual([0, 0, 0]);
    },
  );
});
