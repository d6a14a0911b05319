// Draws the sample images into samples/: `npm run samples`.
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import sharp, { type Sharp } from "sharp";
import { drawRows, wholeSet } from "./mandelbrot.ts";
import { chart, page, shape } from "./sample-drawings.ts";

const folder = fileURLToPath(new URL("../samples/", import.meta.url));

const drawn = (svg: string): Sharp => sharp(Buffer.from(svg)).removeAlpha();

/**
 * 16-bit grey: a ramp of every value a row can hold, and steps below it with a disc to one side.
 */
const greyRamp = (): Sharp => {
  const [width, height, steps] = [1536, 768, 16];
  const samples = new Uint16Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const along = x / (width - 1);
      const step = Math.floor((x * steps) / width) / (steps - 1);
      const inDisc = (x - 240) ** 2 + (y - 576) ** 2 < 120 ** 2;
      samples[y * width + x] = 65_535 * (y < height / 2 ? along : inDisc ? 1 - along : step);
    }
  return sharp(samples, { raw: { width, height, channels: 1 } }).toColourspace("grey16");
};

const threePages = (): Sharp =>
  sharp(
    [1, 2, 3].map((number) => Buffer.from(page(number))),
    { join: { animated: true } },
  ).removeAlpha();

/** Large enough to zoom in. */
const mandelbrot = (): Sharp => {
  const size = { width: 4096, height: 4096 };
  const pixels = drawRows(wholeSet(size.width), size, 0, size.height);
  return sharp(pixels, { raw: { ...size, channels: 3 } });
};

const pictures: Readonly<Record<string, () => Sharp>> = {
  "chart.jpg": () => drawn(chart()).jpeg({ quality: 90, chromaSubsampling: "4:4:4" }),
  "chart.png": () => drawn(chart()).png({ compressionLevel: 9, effort: 10 }),
  "chart.webp": () => drawn(chart()).webp({ quality: 85, effort: 6 }),
  "chart.avif": () => drawn(chart()).avif({ quality: 65, chromaSubsampling: "4:4:4" }),
  // Stored rotated onto its left side; orientation 6 says so.
  "chart-orientation-6.jpg": () =>
    drawn(chart()).rotate(270).withMetadata({ orientation: 6 }).jpeg({ quality: 85 }),
  "chart-cmyk.tif": () =>
    drawn(chart())
      .resize(800)
      .toColourspace("cmyk")
      .tiff({ compression: "deflate", predictor: "horizontal" }),
  "grey-16-bit.tif": () => greyRamp().tiff({ compression: "deflate", predictor: "horizontal" }),
  "three-pages.tif": () => threePages().tiff({ compression: "deflate", predictor: "horizontal" }),
  // The list of the start page begins with folders.
  "deep-zoom/mandelbrot.tif": () =>
    mandelbrot().tiff({
      ...{ compression: "jpeg", quality: 80 },
      ...{ pyramid: true, tile: true, tileWidth: 256, tileHeight: 256 },
    }),
  "transparent.png": () => sharp(Buffer.from(shape())).png({ compressionLevel: 9 }),
};

await mkdir(folder, { recursive: true });
for (const [name, draw] of Object.entries(pictures)) {
  await mkdir(dirname(`${folder}${name}`), { recursive: true });
  await draw().toFile(`${folder}${name}`);
  process.stderr.write(`${name}: ${(await stat(`${folder}${name}`)).size} bytes\n`);
}
