import { join } from "node:path";
import sharp from "sharp";

/**
 * Draws `large.png`, of 2000 x 1500 pixels that are hard to compress, and `tiled.tif`, a pyramid of
 * it.
 */
export const drawPictures = async (folder: string): Promise<void> => {
  const [width, height] = [2000, 1500];
  const pixels = Buffer.alloc(width * height * 3);
  let state = 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    pixels[at] = ((at / 3) % 251) / 2 + (state >>> 25);
  }
  const picture = sharp(pixels, { raw: { width, height, channels: 3 } });
  await picture.clone().png({ compressionLevel: 1 }).toFile(join(folder, "large.png"));
  await picture
    .tiff({ tile: true, tileWidth: 256, tileHeight: 256, pyramid: true, compression: "deflate" })
    .toFile(join(folder, "tiled.tif"));
};

/** A path of a tile; different numbers from 0 to 34 make different tiles. */
export const tile = (number: number): string => {
  const [column, row] = [number % 7, Math.floor(number / 7) % 5];
  return `/iiif/3/tiled.tif/${column * 256},${row * 256},256,256/256,256/0/default.jpg`;
};

/**
 * The path of an image that takes most of a second to render; numbers from 0 to 999 make different
 * images.
 */
export const large = (number: number): string =>
  `/iiif/3/large.png/0,0,${2000 - (number % 1000)},1500/max/0/default.webp`;
