import { join } from "node:path";
import sharp from "sharp";
import { random } from "../test/random.ts";

/** Draws a pyramid of so many pixels a side, tiles of 256 pixels, into a folder; answers its path. */
export const drawPyramid = async (
  folder: string,
  { width, height, compression }: PyramidOptions,
): Promise<string> => {
  const dice = random(width + height);
  const grain = { width: Math.ceil(width / 8), height: Math.ceil(height / 8) };
  const pixels = Buffer.alloc(grain.width * grain.height * 3);
  for (let at = 0; at < pixels.length; at++) pixels[at] = dice.whole(0, 255);
  const path = join(folder, `drawn-${width}x${height}-${compression}.tif`);
  await sharp(pixels, { raw: { ...grain, channels: 3 } })
    // Enlarged noise: neither flat nor hopeless for any codec.
    .resize(width, height, { kernel: "cubic", fit: "fill" })
    .tiff({ compression, quality: 85, tile: true, tileWidth: 256, tileHeight: 256, pyramid: true })
    .toFile(path);
  return path;
};

export interface PyramidOptions {
  readonly width: number;
  readonly height: number;
  readonly compression: "jpeg" | "deflate";
}
