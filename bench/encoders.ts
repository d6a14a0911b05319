/**
 * Measures the cost and result of encoder settings, and prints a Markdown table: `npx tsx
 * bench/encoders.ts PHOTO [part of a name]`. One thread; median of several runs.
 */
import { basename } from "node:path";
import sharp, { type Sharp } from "sharp";

type Setting = readonly [name: string, encode: (image: Sharp) => Sharp];

const jpeg = (options: Parameters<Sharp["jpeg"]>[0]) => (image: Sharp) =>
  image.jpeg({ quality: 80, ...options });

const settings: readonly Setting[] = [
  ["jpg 80, optimised, table 0", jpeg({})],
  ["jpg 80, table 0", jpeg({ optimiseCoding: false })],
  ["jpg 80, table 2", jpeg({ optimiseCoding: false, quantisationTable: 2 })],
  ["**jpg 80, table 3**", jpeg({ optimiseCoding: false, quantisationTable: 3 })],
  ["jpg 80, table 3, optimised", jpeg({ quantisationTable: 3 })],
  ["jpg 80, table 3, progressive", jpeg({ quantisationTable: 3, progressive: true })],
  [
    "jpg 80, table 3, 4:4:4",
    jpeg({ optimiseCoding: false, quantisationTable: 3, chromaSubsampling: "4:4:4" }),
  ],
  ["png level 0", (image) => image.png({ compressionLevel: 0 })],
  ["png level 1", (image) => image.png({ compressionLevel: 1 })],
  ["**png level 2**", (image) => image.png({ compressionLevel: 2 })],
  ["png level 6", (image) => image.png({ compressionLevel: 6 })],
  ["png level 9", (image) => image.png({ compressionLevel: 9 })],
  [
    "png level 2, adaptive filter",
    (image) => image.png({ compressionLevel: 2, adaptiveFiltering: true }),
  ],
  ["png palette, effort 1", (image) => image.png({ palette: true, effort: 1 })],
  ["tif none", (image) => image.tiff({ compression: "none" })],
  ["tif RLE", (image) => image.tiff({ compression: "packbits", predictor: "none" })],
  ["**tif LZW**", (image) => image.tiff({ compression: "lzw", predictor: "horizontal" })],
  ["tif LZW, no predictor", (image) => image.tiff({ compression: "lzw", predictor: "none" })],
  ["tif Deflate", (image) => image.tiff({ compression: "deflate", predictor: "horizontal" })],
  ["tif JPEG 80", (image) => image.tiff({ compression: "jpeg", quality: 80 })],
  ["**gif effort 1, no dither**", (image) => image.gif({ effort: 1, dither: 0 })],
  ["gif effort 1, dither 1", (image) => image.gif({ effort: 1, dither: 1 })],
  ["gif effort 7, no dither", (image) => image.gif({ effort: 7, dither: 0 })],
  ["**webp 80, effort 0**", (image) => image.webp({ quality: 80, effort: 0 })],
  ["webp 80, effort 2", (image) => image.webp({ quality: 80, effort: 2 })],
  ["webp 80, effort 4", (image) => image.webp({ quality: 80, effort: 4 })],
  ["webp lossless, effort 0", (image) => image.webp({ lossless: true, effort: 0 })],
  ["**avif 50, effort 0**", (image) => image.avif({ quality: 50, effort: 0 })],
  [
    "avif 50, effort 0, 4:2:0",
    (image) => image.avif({ quality: 50, effort: 0, chromaSubsampling: "4:2:0" }),
  ],
  ["avif 50, effort 2", (image) => image.avif({ quality: 50, effort: 2 })],
];

interface Sample {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A square from the middle of the photo, or all of it scaled down to a width. */
const takeSamples = async (photo: string): Promise<readonly Sample[]> => {
  const { width, height } = await sharp(photo).metadata();
  const square = (side: number): Sharp =>
    sharp(photo).extract({
      left: Math.floor((width - side) / 2),
      top: Math.floor((height - side) / 2),
      width: side,
      height: side,
    });
  return Promise.all(
    [square(256), square(512), sharp(photo).resize({ width: 2000 })].map(async (image) => {
      const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
      return { data, width: info.width, height: info.height };
    }),
  );
};

const measure = async ({ data, width, height }: Sample, encode: Setting[1]): Promise<string> => {
  const raw = { width, height, channels: 3 } as const;
  const times: number[] = [];
  const deadline = performance.now() + 1500;
  let bytes = Buffer.alloc(0);
  while (times.length < 3 || (times.length < 31 && performance.now() < deadline)) {
    const start = performance.now();
    bytes = await encode(sharp(data, { raw })).toBuffer();
    times.push(performance.now() - start);
  }
  const median = times.sort((one, other) => one - other)[times.length >> 1] ?? Number.NaN;
  const back = await sharp(bytes).toColourspace("srgb").removeAlpha().raw().toBuffer();
  const decibels = loudness(data, back);
  return `${median.toFixed(1)} | ${(bytes.length / 1024).toFixed(0)} | ${decibels}`;
};

/** Peak signal-to-noise ratio in dB. */
const loudness = (one: Buffer, other: Buffer): string => {
  let sum = 0;
  for (let n = 0; n < one.length; n++) sum += ((one[n] ?? 0) - (other[n] ?? 0)) ** 2;
  return sum === 0 ? "exact" : (10 * Math.log10(255 ** 2 / (sum / one.length))).toFixed(1);
};

const [photo, part = ""] = process.argv.slice(2);
if (photo === undefined) {
  console.error("usage: npx tsx bench/encoders.ts PHOTO [part of a setting's name]");
  process.exit(2);
}
sharp.cache(false);
sharp.concurrency(1);
const samples = await takeSamples(photo);
const titles = samples.map(({ width, height }) => `${width}x${height}: ms | KB | PSNR`);
console.log(`| ${basename(photo)} | ${titles.join(" | ")} |`);
console.log(`|---|${"---:|".repeat(samples.length * 3)}`);
for (const [name, encode] of settings) {
  if (!name.includes(part)) continue;
  const cells: string[] = [];
  for (const sample of samples) cells.push(await measure(sample, encode));
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
