import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { random } from "../test/random.ts";

/**
 * Draws a pyramid of so many pixels a side, tiles of 256 pixels, into a folder; answers its path.
 */
export const drawPyramid = async (
  folder: string,
  { width, height, compression }: PyramidOptions,
): Promise<string> => {
  const path = join(folder, `drawn-${width}x${height}-${compression}.tif`);
  await noise(width, height)
    .tiff({ compression, quality: 85, tile: true, tileWidth: 256, tileHeight: 256, pyramid: true })
    .toFile(path);
  return path;
};

/** Enlarged noise: neither flat nor hopeless for any codec. */
const noise = (width: number, height: number): Sharp => {
  const dice = random(width + height);
  const grain = { width: Math.ceil(width / 8), height: Math.ceil(height / 8) };
  const pixels = Buffer.alloc(grain.width * grain.height * 3);
  for (let at = 0; at < pixels.length; at++) pixels[at] = dice.whole(0, 255);
  return sharp(pixels, { raw: { ...grain, channels: 3 } }).resize(width, height, {
    kernel: "cubic",
    fit: "fill",
  });
};

export interface PyramidOptions {
  readonly width: number;
  readonly height: number;
  readonly compression: "jpeg" | "deflate";
}

/**
 * Draws what cameras and scanners make, 12 to 48 megapixels without tiles, into a folder; answers
 * the paths. Reading any part of most of them takes all that comes before it, or all of them.
 */
export const drawPhotos = async (folder: string): Promise<string[]> => {
  const paths: string[] = [];
  for (const [name, { width, height, write }] of Object.entries(photos)) {
    const path = join(folder, name);
    await write(noise(width, height)).toFile(path);
    paths.push(path);
  }
  return paths;
};

interface Photo {
  readonly width: number;
  readonly height: number;
  readonly write: (image: Sharp) => Sharp;
}

const photos: Readonly<Record<string, Photo>> = {
  "camera.jpg": { width: 8_000, height: 6_000, write: (image) => image.jpeg() },
  "progressive.jpg": {
    width: 6_000,
    height: 4_000,
    write: (image) => image.jpeg({ progressive: true }),
  },
  "turned.jpg": {
    width: 6_000,
    height: 4_000,
    write: (image) => image.jpeg().withMetadata({ orientation: 6 }),
  },
  "scan.png": { width: 6_000, height: 4_000, write: (image) => image.png({ compressionLevel: 1 }) },
  "deep.png": {
    width: 4_000,
    height: 3_000,
    write: (image) => image.toColourspace("rgb16").png({ compressionLevel: 1 }),
  },
  "interlaced.png": {
    width: 4_000,
    height: 3_000,
    write: (image) => image.png({ compressionLevel: 1, progressive: true }),
  },
  "photo.webp": { width: 5_000, height: 3_500, write: (image) => image.webp({ effort: 0 }) },
  "strips.tif": {
    width: 6_000,
    height: 4_000,
    write: (image) => image.tiff({ compression: "lzw" }),
  },
  "deep.tif": {
    width: 4_000,
    height: 3_000,
    write: (image) => image.toColourspace("rgb16").tiff({ compression: "none" }),
  },
};
