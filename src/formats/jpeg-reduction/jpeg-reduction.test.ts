import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { plan as plain } from "../../../test/plans.ts";
import { random } from "../../../test/random.ts";
import { memoryReader } from "../../../test/readers.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { Config } from "../../config/store.ts";
import { ServerError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { singleFile } from "../../sources/file-reader.ts";
import { jpeg } from "../jpeg/format.ts";
import { createVipsDecoder } from "../libvips/index.ts";
import { Resources } from "../pool/index.ts";
import type { Decoder, FinalPart, Raster, Window } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { reducedImageFor } from "./choice.ts";
import { jpegReduction, reducerWith } from "./threads.ts";

const config = new Config();
const resources = new Resources(config, { processors: 1 });
const decoder = await jpeg.createDecoder(resources);
const libvips = createVipsDecoder("jpg", config.view(decodingKeys));
const { signal } = new AbortController();
afterAll(() => resources.close());

const size = { width: 2_403, height: 1_702 };
const even = { width: 2_400, height: 1_696 };
const plan: Plan = { ...plain, crop: { x: 0, y: 0, ...size }, downscaleFilter: "bicubic" };

/** Soft noise in colours, with edges. */
const picture = ({ width, height } = size): Sharp => {
  const dice = random(4);
  const [across, down] = [Math.ceil(width / 40), Math.ceil(height / 40)];
  const pixels = Uint8Array.from({ length: across * down * 3 }, () => dice.whole(0, 255));
  return sharp(pixels, { raw: { width: across, height: down, channels: 3 } }).resize(
    width,
    height,
    {
      fit: "fill",
    },
  );
};

const read = async (from: Decoder, bytes: Uint8Array, shrink: number): Promise<Raster> => {
  const reader = memoryReader(bytes);
  const info = await from.info(reader, signal);
  const page = info.pages[0].size;
  const atLeast = { width: page.width / shrink, height: page.height / shrink };
  const crop = { x: 0, y: 0, ...page };
  return from.read(reader, info, { page: 0, region: crop, atLeast }, { ...plan, crop }, signal);
};

/** The pixels at exactly the size that is wanted. */
const pixelsOf = async (raster: Raster, shrink: number): Promise<Uint8Array> => {
  const { width, height } = raster.covers;
  const [w, h] = [Math.ceil(width / shrink), Math.ceil(height / shrink)];
  const isSmall = raster.size.width === w && raster.size.height === h;
  // Cropping to the whole image keeps the loader from reducing it.
  const whole = raster.image.extract({ left: 0, top: 0, ...raster.size });
  const scaled = isSmall ? whole : whole.resize(w, h, { fit: "fill", kernel: "cubic" });
  return scaled.raw().toBuffer();
};

const meanDifference = (one: Uint8Array, other: Uint8Array): number => {
  expect(one).toHaveLength(other.length);
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
};

describe("JPEGs that are wanted much smaller", () => {
  const kinds: readonly (readonly [string, (image: Sharp) => Sharp])[] = [
    ["in 4:2:0", (image) => image.jpeg({ quality: 90 })],
    ["in 4:4:4", (image) => image.jpeg({ quality: 92, chromaSubsampling: "4:4:4" })],
    ["in grey", (image) => image.toColourspace("b-w").jpeg({ quality: 90 })],
  ];

  it.each(kinds)("look as libvips makes them, %s", async (_, written) => {
    for (const whole of [size, even]) {
      const bytes = await written(picture(whole)).toBuffer();
      for (const shrink of [4, 5.3, 8, 24]) {
        const small = await read(decoder, bytes, shrink);
        const width = Math.ceil(whole.width / shrink);
        expect(small.size).toEqual({ width, height: Math.ceil(whole.height / shrink) });
        expect(small.covers).toEqual({ x: 0, y: 0, ...whole });
        expect(small.tiff).toBeDefined();
        const other = await read(libvips, bytes, shrink);
        expect(other.tiff).toBeUndefined();
        const pixels = await pixelsOf(small, shrink);
        expect(meanDifference(pixels, await pixelsOf(other, shrink))).toBeLessThan(1.5);
      }
    }
  });

  it("are read from a large file", async () => {
    const dice = random(9);
    const noise = Uint8Array.from({ length: 2_800 * 2_000 * 3 }, () => dice.whole(60, 180));
    const raw = { width: 2_800, height: 2_000, channels: 3 } as const;
    const path = join(await temporaryFolder(), "noise [1], large.jpg");
    const bytes = await sharp(noise, { raw }).jpeg({ quality: 96 }).toBuffer();
    expect(bytes.length).toBeGreaterThan(4_194_304);
    await writeFile(path, bytes);
    const reader = await singleFile(path);
    try {
      const info = await decoder.info(reader, signal);
      const crop = { x: 0, y: 0, width: raw.width, height: raw.height };
      const window = { page: 0, region: crop, atLeast: { width: 350, height: 250 } };
      const raster = await decoder.read(reader, info, window, { ...plan, crop }, signal);
      expect(raster.tiff).toBeDefined();
      const other = await read(libvips, bytes, 8);
      const pixels = await pixelsOf(raster, 8);
      expect(meanDifference(pixels, await pixelsOf(other, 8))).toBeLessThan(2);
    } finally {
      await reader.close();
    }
  });

  it("keep their profile and their resolution", async () => {
    const image = picture().withIccProfile("p3").withMetadata({ density: 300 });
    const bytes = await image.keepIccProfile().jpeg().toBuffer();
    const small = await read(decoder, bytes, 4);
    const [found, stored] = [await small.image.metadata(), await sharp(bytes).metadata()];
    expect(found.density).toBe(300);
    expect(stored.icc).toBeDefined();
    expect(small.tiff).toBeDefined();
    if (
      stored.icc &&
      (await decoder.info(memoryReader(bytes), signal)).pages[0].colour.profile === "kept"
    )
      expect(found.icc?.equals(stored.icc)).toBe(true);
  });

  it("show their upper rows while those below are read, if the file has its end", async () => {
    const tall = { width: 1_600, height: 4_400 };
    const whole = await picture(tall).jpeg({ quality: 90 }).toBuffer();
    const grownBy = async (bytes: Uint8Array): Promise<[Raster, [Uint8Array, FinalPart][]]> => {
      const grown: [Uint8Array, FinalPart][] = [];
      const reader = memoryReader(bytes);
      const info = await decoder.info(reader, signal);
      const crop = { x: 0, y: 0, ...tall };
      const window: Window = {
        ...{ page: 0, region: crop, atLeast: { width: 400, height: 1_100 } },
        grown({ tiff, size: found, covers }, final) {
          expect([found, covers]).toEqual([{ width: 400, height: 1_100 }, crop]);
          grown.push([tiff.slice(0, final.bytes), final]);
        },
      };
      return [await decoder.read(reader, info, window, { ...plan, crop }, signal), grown];
    };
    const [raster, grown] = await grownBy(whole);
    const { tiff = new Uint8Array() } = raster;
    expect(grown.map(([, { rows }]) => rows)).toEqual([256, 512, 768, 1_024]);
    for (const [bytes] of grown)
      expect(Buffer.compare(bytes, tiff.subarray(0, bytes.length))).toBe(0);
    // The tiles of a row are behind those of the rows above.
    const pixels = await sharp(grown[1]?.[0], { failOn: "none" })
      .extract({ left: 0, top: 256, width: 400, height: 256 })
      .raw()
      .toBuffer();
    const expected = await sharp(tiff)
      .extract({ left: 0, top: 256, width: 400, height: 256 })
      .raw()
      .toBuffer();
    expect(Buffer.compare(pixels, expected)).toBe(0);

    const damaged = Buffer.from(whole);
    damaged.fill(0xfe, Math.round(whole.length * 0.8), Math.round(whole.length * 0.8) + 64);
    const [other, void_] = await grownBy(damaged);
    expect(other.tiff).toBeUndefined();
    expect(void_.at(0)?.[1].rows).toBe(256);
    expect(void_.at(-1)?.[1]).toEqual({ rows: 0, bytes: 0 });
    const [cut, none] = await grownBy(whole.subarray(0, Math.round(whole.length * 0.8)));
    expect(cut.tiff).toBeUndefined();
    expect(none).toEqual([]);
  });

  it("are left to libvips where they are progressive, CMYK, or cut off", async () => {
    const cmyk = await picture().toColourspace("cmyk").jpeg().toBuffer();
    const progressive = await picture().jpeg({ progressive: true }).toBuffer();
    for (const bytes of [cmyk, progressive])
      expect((await read(decoder, bytes, 4)).tiff).toBeUndefined();
    const whole = await picture().jpeg().toBuffer();
    const raster = await read(decoder, whole.subarray(0, whole.length - 9_000), 4);
    expect(raster.tiff).toBeUndefined();
  });

  it("are read by libvips while no thread works, and by a thread again", async () => {
    const bytes = await picture().jpeg().toBuffer();
    let isBroken = true;
    const threads = resources.get(jpegReduction);
    const other = createVipsDecoder(
      "jpg",
      config.view(decodingKeys),
      reducerWith({
        run: (...job) =>
          isBroken ? Promise.reject(new ServerError("internal", "broken")) : threads.run(...job),
      }),
    );
    const reader = memoryReader(bytes);
    const info = await other.info(reader, signal);
    const crop = { x: 0, y: 0, ...size };
    const window = { page: 0, region: crop, atLeast: { width: 300, height: 212.48 } };
    const again = () => other.read(reader, info, window, plan, signal);
    expect((await again()).tiff).toBeUndefined();
    isBroken = false;
    expect((await again()).tiff).toBeDefined();
  });
});

describe("the size at which a JPEG is read", () => {
  const region = { x: 0, y: 0, ...size };
  const forTiles = (factor: number) => ({
    window: { region, atLeast: { width: size.width / factor, height: size.height / factor } },
    plan,
  });

  it("is what is wanted of all of it, rounded up", () => {
    const crop = { x: 2_048, y: 0, width: 355, height: 1_702 };
    const { window } = forTiles(8);
    expect(reducedImageFor(size, { window, plan: { ...plan, crop } })).toEqual({
      size: { width: 301, height: 213 },
      filter: "bicubic",
    });
    const whole = { region, atLeast: { width: 500, height: 354.140_657 } };
    expect(reducedImageFor(size, { window: whole, plan })?.size).toEqual({
      width: 500,
      height: 355,
    });
  });

  it.each<[string, Parameters<typeof reducedImageFor>[1]]>([
    ["a third is wanted", forTiles(3)],
    [
      "a part is wanted",
      { ...forTiles(8), window: { ...forTiles(8).window, region: { ...region, width: 2_000 } } },
    ],
    ["pixels are mixed in linear light", { ...forTiles(8), plan: { ...plan, linear: true } }],
    [
      "parts are redacted first",
      {
        ...forTiles(8),
        plan: { ...plan, cover: { redactions: [{ x: 0, y: 0, width: 9, height: 9 }] } },
      },
    ],
    [
      "a region is no tile",
      { ...forTiles(8), plan: { ...plan, crop: { x: 4, y: 0, width: 2_399, height: 1_702 } } },
    ],
  ])("is its own where %s", (_, wanted) => {
    expect(reducedImageFor(size, wanted)).toBeUndefined();
  });

  it("is its own where it is small, or still large when reduced", () => {
    for (const [width, height] of [
      [1_900, 2_000],
      [60_000, 40_000],
    ] as const) {
      const all = { x: 0, y: 0, width, height };
      const window = { region: all, atLeast: { width: width / 4, height: height / 4 } };
      expect(reducedImageFor(all, { window, plan: { ...plan, crop: all } })).toBeUndefined();
    }
  });
});
