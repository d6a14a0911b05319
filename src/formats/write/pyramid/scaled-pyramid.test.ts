import { open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Size } from "../../../core/geometry.ts";
import { fieldNumbers, openTiff, readDirectory, wholeFile } from "../../metadata/index.ts";
import { photometrics, tags } from "../../tiff/structure/index.ts";
import { levelSizes } from "./finishing.ts";
import { type FindReduced, writeScaledPyramid } from "./scaled-pyramid.ts";
import { mappedSuffix } from "./staging.ts";

const size = { width: 301, height: 203 };
const tile = 64;

/** Waves in colours that differ from pixel to pixel, so that halved chroma shows. */
const pixels = Uint8Array.from({ length: size.width * size.height * 3 }, (_, at) => {
  const [sample, pixel] = [at % 3, Math.floor(at / 3)];
  const [x, y] = [pixel % size.width, Math.floor(pixel / size.width)];
  return 120 + 60 * Math.sin(x / 9 + sample) * Math.cos(y / 7) + (sample === x % 2 ? 20 : 0);
});

const pyramidOf = async (
  quality: number,
  reducedQualities?: readonly number[],
  findReduced?: FindReduced,
): Promise<string> => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.tif");
  const staged = join(folder, `staged${mappedSuffix}`);
  await sharp(pixels, { raw: { ...size, channels: 3 } }).toFile(staged);
  const file = await open(path, "wx");
  try {
    const length = await writeScaledPyramid(
      { page: staged },
      { file, path },
      {
        ...{
          compression: "jpeg",
          quality,
          reducedQualities,
          tile,
          levels: "pages",
          size,
          cascades: true,
          findReduced,
        },
        ...{ extras: { metadata: { image: [], exif: [], gps: [] }, profile: undefined } },
        ...{ kernel: "lanczos3", aside: join(folder, "b"), onProgress: () => {} },
        signal: new AbortController().signal,
      },
    );
    expect((await file.stat()).size).toBe(length);
  } finally {
    await file.close();
  }
  return path;
};

/** The photometric interpretation and subsampling of each page. */
const coloursOf = async (path: string) => {
  const file = await open(path);
  try {
    const layout = await openTiff(wholeFile(file));
    const found: (readonly (readonly number[] | undefined)[])[] = [];
    for (let at = layout.first; at !== 0; ) {
      const directory = await readDirectory(layout, at);
      const numbers = (tag: number) => fieldNumbers(layout, directory, tag);
      found.push([await numbers(tags.photometric), await numbers(tags.yCbCrSubSampling)]);
      at = directory.next;
    }
    return found;
  } finally {
    await file.close();
  }
};

const colours = (subsampling: number) => [[photometrics.yCbCr], [subsampling, subsampling]];

const meanDifference = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;

it.each([
  { quality: 95, subsampling: 1, isSharp: true },
  { quality: 89, subsampling: 2, isSharp: false },
])(
  "JPEG tiles of quality $quality are YCbCr, subsampled by $subsampling",
  async ({ quality, subsampling, isSharp }) => {
    const path = await pyramidOf(quality);
    expect(await coloursOf(path)).toEqual(Array(4).fill(colours(subsampling)));
    const sizes = levelSizes({ size, tile });
    for (const [page, expected] of sizes.entries()) {
      const image = sharp(path, { page });
      expect(await image.metadata()).toMatchObject({ ...expected, pages: sizes.length });
    }
    const full = await sharp(path).raw().toBuffer();
    expect(meanDifference(full, pixels) < 4).toBe(isSharp);
    const half = await sharp(path, { page: 1 }).raw().toBuffer();
    const scaled = sharp(pixels, { raw: { ...size, channels: 3 } });
    const { width = 0, height = 0 } = sizes[1] ?? {};
    const wanted = await scaled.resize(width, height, { fit: "fill" }).raw().toBuffer();
    expect(meanDifference(half, wanted)).toBeLessThan(3);
    expect((await readdir(dirname(path))).toSorted()).toEqual(["a.tif", `staged${mappedSuffix}`]);
  },
);

it("reduced levels have qualities of their own, the last one for all others", async () => {
  const [path, other] = [await pyramidOf(80, [92, 85]), await pyramidOf(80)];
  expect(await coloursOf(path)).toEqual([2, 1, 2, 2].map(colours));
  const wanted = sharp(pixels, { raw: { ...size, channels: 3 } });
  for (const [page, { width, height }] of levelSizes({ size, tile }).entries()) {
    const level = await wanted.clone().resize(width, height, { fit: "fill" }).raw().toBuffer();
    const [mine, its] = await Promise.all(
      [path, other].map(async (one) =>
        meanDifference(await sharp(one, { page }).raw().toBuffer(), level),
      ),
    );
    if (page === 0) expect(mine).toBe(its);
    else expect(mine).toBeLessThan(its ?? 0);
  }
});

it("levels that exist already are taken, and coarser ones scaled from them", async () => {
  const [, , quarter] = levelSizes({ size, tile });
  const grey = join(await temporaryFolder(), "quarter.tif");
  await sharp({ create: { width: 76, height: 51, channels: 3, background: "#808080" } })
    .tiff({ tile: true, compression: "none" })
    .toFile(grey);
  const asked: Size[] = [];
  const path = await pyramidOf(95, undefined, async (wanted) => {
    asked.push(wanted);
    return wanted.width === quarter?.width ? { path: grey, orientation: 1 } : undefined;
  });
  expect(asked).toEqual(levelSizes({ size, tile }).slice(1));
  const isGrey = await Promise.all(
    [0, 1, 2, 3].map(async (page) => {
      const { channels } = await sharp(path, { page }).stats();
      return channels.every(({ min, max }) => min >= 127 && max <= 129);
    }),
  );
  expect(isGrey).toEqual([false, false, true, true]);
});

it("levels that exist already are turned upright", async () => {
  const path = join(await temporaryFolder(), "half.tif");
  const full = sharp(pixels, { raw: { ...size, channels: 3 } });
  const half = await full.resize(151, 102, { fit: "fill" }).toBuffer({ resolveWithObject: true });
  // Stored with orientation 5, an image has to be mirrored and then turned by 270 degrees.
  const turned = sharp(half.data, { raw: half.info }).rotate(90);
  const { data, info } = await turned.toBuffer({ resolveWithObject: true });
  await sharp(data, { raw: info }).flop().tiff({ tile: true }).toFile(path);
  const made = await pyramidOf(98, undefined, async ({ width }) =>
    width === 151 ? { path, orientation: 5 } : undefined,
  );
  const level = await sharp(made, { page: 1 }).raw().toBuffer();
  expect(meanDifference(level, half.data)).toBeLessThan(3);
});

it("tiles at the edges repeat the last column, which JPEG mixes into their blocks", async () => {
  const path = await pyramidOf(95);
  const column = (image: Sharp) =>
    image
      .extract({ left: size.width - 1, top: 0, width: 1, height: size.height })
      .raw()
      .toBuffer();
  const stored = await column(sharp(path));
  const wanted = await column(sharp(pixels, { raw: { ...size, channels: 3 } }));
  expect(meanDifference(stored, wanted)).toBeLessThan(4);
});
