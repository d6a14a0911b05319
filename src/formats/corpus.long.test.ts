import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type CorpusFile,
  corpusFiles,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../test/corpus.ts";
import { plan } from "../../test/plans.ts";
import { fileReaderOf } from "../../test/readers.ts";
import { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { area, type Size, toUpright, upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { createCodecs } from "./index.ts";
import { readingFailed } from "./libvips/failure.ts";
import { prepareVips } from "./libvips/setup.ts";
import { Resources } from "./pool/resources.ts";
import { factsOf } from "./registry.ts";
import type { Raster } from "./shared/index.ts";
import { sniff } from "./sniff.ts";

const codecs = createCodecs(
  // Whatever the load of the machine.
  new Resources(new Config({ "processor.timeout": 0 })),
);
const signal = new AbortController().signal;

/** Rejected, although the manifest says they must be served. */
const unread: Readonly<Record<string, string>> = {
  "jpeg/ultrahdr.jpg": "its last scan lines are missing, and half images are not shown",
  "jxl/cmyk_layers.jxl": "CMYK JPEG XL is not supported",
};

/**
 * Pages whose size differs from the manifest: its tools did not apply these files' own boxes, or
 * measured before rotation.
 */
const sizes: Readonly<Record<string, Size>> = {
  "avif/kimono.crop.avif": { width: 385, height: 330 },
  "avif/kimono.rotate90.avif": { width: 722, height: 1024 },
  // As stored; the manifest's size is rotated.
  "heic/200MP.heic": { width: 16_320, height: 12_240 },
  // Upright, as libjxl returns them.
  "jxl/bench_oriented_brg.jxl": { width: 606, height: 500 },
  "jxl/orientation/orientation6_rotate_90_cw.jxl": { width: 256, height: 100 },
  "jxl/orientation/orientation8_rotate_90_ccw.jxl": { width: 256, height: 100 },
};

/** Images whose colours have no agreed interpretation, or whose reference is unsuitable. */
const otherColours: ReadonlySet<string> = new Set([
  // Floating point and 16-bit numbers without an agreed scale.
  "tiff/float.tif",
  "tiff/floatingpoint-16bit.tif",
  "tiff/int16_zstd.tif",
  "tiff/pyramid/cog_scale.tif",
  "tiff/shapes_lzw_predictor3.tif",
  // A table-based profile that two engines interpret differently.
  "jpeg/sample-xyb.jpg",
  "gif/beacon_icc.gif",
  // Oriented by their XMP, which the reference ignores.
  "gif/gif-xmp-orientation-90.gif",
  "png/png-rotated.png",
  // Its reference shows the YCbCr samples, which libvips stores, as if they were RGB.
  "tiff/pyramid/derived-jp2k-t128-page.tif",
  // Its reference shows the logarithmic codes; tiff-colours.test.ts compares those with libtiff.
  "tiff/off_l16.tif",
  // A uniform blue that the reference renders far from its samples.
  "tiff/pyramid/yb10kx5k.zstd.tiff",
]);

/** The largest has 200 megapixels in tiles, all of which are decoded. */
const longest = { timeout: 180_000 };

/** Animations and collections have as many pages as frames or images. */
const checkPages = (pages: number, { path, frames, pages: pictures }: CorpusFile): void => {
  if (/\.avif$/.test(path)) expect(pages).toBe(pictures);
  if (frames === undefined) return;
  // A still image that is not one of a PNG's frames is a page as well.
  if (/\.png$/.test(path)) expect([frames, frames + 1]).toContain(pages);
  if (/\.(gif|webp)$/.test(path)) expect(pages).toBe(frames);
};

interface Read {
  readonly pages: number;
  readonly page: Page;
  readonly grid: readonly number[];
}

describe.skipIf(!corpusIsHere)("images of the corpus", () => {
  beforeAll(prepareVips);

  const files = corpusFiles(
    "jpeg",
    "photos",
    "png",
    "tiff",
    "gif",
    "webp",
    "avif",
    "bmp",
    "xpm",
    "dicom",
    "heic",
    "jxl",
  );

  test.each(files.map((file) => [file.path, file] as const))("%s", longest, async (path, file) => {
    const read = await attempt(file);
    if (read instanceof ServerError) {
      expect(read.failure).toBe("unreadable");
      expect(read.message).not.toContain("/");
      if (file.expect === "ok") expect(Object.keys(unread)).toContain(path);
      return;
    }
    expect(Object.keys(unread)).not.toContain(path);
    const { page, pages, grid } = read;
    const { width = 0, height = 0 } = sizes[path] ?? file;
    expect(page.size).toEqual({ width, height });
    const seen = upright(page.size, page.orientation);
    if (sizes[path] === undefined)
      expect(seen).toEqual({
        width: file.upright_width ?? width,
        height: file.upright_height ?? height,
      });
    checkPages(pages, file);
    if (hasMeasure(file)) compare(grid, measured(file), file);
  });

  test("multi-page documents have one page per directory, pyramids one page", async () => {
    const counts = async (name: string): Promise<readonly [number, number]> => {
      const file = files.find(({ path }) => path === name);
      if (file === undefined) throw new Error(`Expected ${name} in the corpus`);
      const { info } = await open(file);
      return [info.pages.length, info.pages[0].levels.length];
    };
    expect(await counts("tiff/cantaloupe/tif-bw-9image.tif")).toEqual([9, 1]);
    expect(await counts("tiff/pyramid/CMU-1-Small-Region.svs")).toEqual([4, 1]);
    expect(await counts("tiff/pyramid/caillebotte.tif")).toEqual([1, 6]);
    expect(await counts("tiff/pyramid/cog_rgb_mask.tif")).toEqual([1, 1]);
    expect(await counts("tiff/pyramid/derived-webp-t256-subifd.tif")).toEqual([1, 4]);
    expect(await counts("tiff/pyramid/image_geos.tif")).toEqual([1, 3]);
    expect(await counts("tiff/pyramid/usda_naip_512_jpeg_z5.tif")).toEqual([1, 5]);
    expect(await counts("tiff/pyramid/tiff_with_subifd_chain.tif")).toEqual([2, 3]);
    expect(await counts("tiff/orientation/test_orient5.tif")).toEqual([1, 3]);
  });
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

const open = async (file: CorpusFile) => {
  const reader = await fileReaderOf(corpusPath(file));
  const format = await sniff(reader, signal);
  if (format === undefined) throw new ServerError("unreadable", "No format that is known.");
  const { decoder } = await codecs(format);
  if (decoder === undefined) throw new ServerError("unreadable", "No decoder.");
  return { reader, format, decoder, info: await decoder.info(reader, signal) };
};

/** Images of more pixels than this are read from a smaller level. */
const wholePixels = 20_000_000;

const attempt = async (file: CorpusFile): Promise<Read | ServerError> => {
  try {
    const { reader, format, decoder, info } = await open(file);
    const page = info.pages[0];
    const { size } = page;
    const atLeast = area(size) > wholePixels ? { width: 256, height: 256 } : size;
    const window = { page: 0, region: { x: 0, y: 0, ...size }, atLeast };
    const raster = await decoder.read(reader, info, window, plan, signal);
    try {
      return { pages: info.pages.length, page, grid: await gridOf(raster, page) };
    } catch (error) {
      throw readingFailed(error, factsOf(format).name);
    }
  } catch (error) {
    if (error instanceof ServerError) return error;
    throw error;
  }
};

const side = 64;

/** The mean colours of a 4 x 4 division of an image, upright, over white. */
const gridOf = async ({ image, size }: Raster, page: Page): Promise<number[]> => {
  // Reduced JPEGs have to be cropped before they are resized.
  const small = await image
    .extract({ left: 0, top: 0, ...size })
    .flatten({ background: "#ffffff" })
    .toColourspace("srgb")
    .resize(side, side, { fit: "fill", kernel: "linear" })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const { mirror, turns } = toUpright(page.orientation);
  const mirrored = mirror ? await sharp(small).flop().png().toBuffer() : small;
  const { data, info } = await sharp(mirrored)
    .rotate(turns * 90)
    .toColourspace("srgb")
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const grid = Array.from({ length: 48 }, () => 0);
  const cell = side / 4;
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      for (let band = 0; band < 3; band++) {
        const at = (Math.floor(y / cell) * 4 + Math.floor(x / cell)) * 3 + band;
        const sample = data[(y * side + x) * info.channels + (info.channels < 3 ? 0 : band)] ?? 0;
        grid[at] = (grid[at] ?? 0) + sample / (cell * cell);
      }
  return grid;
};

const measured = (file: CorpusFile): number[] =>
  (file.grid ?? []).flatMap((colour) =>
    [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)),
  );

/** Entirely black grids are images the reference could not read; tiny ones do not divide by 4. */
const hasMeasure = (file: CorpusFile): boolean =>
  file.grid !== undefined &&
  file.expect === "ok" &&
  file.grid.some((colour) => colour !== "000000") &&
  Math.min(file.width ?? 0, file.height ?? 0) >= 20 &&
  !otherColours.has(file.path);

/**
 * The manifest's reference renders colours slightly apart from plain sRGB (pure blue is 5510fd,
 * pure red f81a10), so the mean may differ more than the manifest allows for a cell; rotated,
 * mirrored, inverted or wrongly coloured images are still far outside.
 */
const allowed = { colours: 20, cmyk: 34 };

const compare = (grid: readonly number[], wanted: readonly number[], file: CorpusFile): void => {
  const max = /CMYK|separated/.test(file.colour ?? "") ? allowed.cmyk : allowed.colours;
  const apart = distance(grid, wanted);
  expect(apart, "mean difference of the sixteen colours").toBeLessThan(max);
  for (const turned of otherWays(grid))
    expect(distance(turned, wanted), "difference the other way round").toBeGreaterThanOrEqual(
      apart / 2,
    );
};

const distance = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;

/** The grid in the seven wrong orientations. */
const otherWays = (grid: readonly number[]): number[][] => {
  const moved = (from: (x: number, y: number) => readonly [number, number]): number[] =>
    grid.map((_, at) => {
      const cell = Math.floor(at / 3);
      const [x, y] = from(cell % 4, Math.floor(cell / 4));
      return grid[(y * 4 + x) * 3 + (at % 3)] ?? 0;
    });
  return [
    moved((x, y) => [3 - x, y]),
    moved((x, y) => [x, 3 - y]),
    moved((x, y) => [3 - x, 3 - y]),
    moved((x, y) => [y, x]),
    moved((x, y) => [3 - y, x]),
    moved((x, y) => [y, 3 - x]),
    moved((x, y) => [3 - y, 3 - x]),
  ];
};
