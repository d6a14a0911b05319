import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { asImage, drawGrid } from "./grid.ts";

/** The size of the image in the specifications' worked examples. */
export const small = drawGrid(300, 200, { square: 50, seed: 3 });

/** Large enough for several levels of tiles, and not square. */
export const large = drawGrid(1500, 1100, { square: 100, seed: 4 });

/** A second page, unlike the first in size and colours. */
export const second = drawGrid(240, 280, { square: 80, seed: 5 });

/** Puts `small.png`, `large.png` and `large.tif` (a pyramid in tiles of 128) into a folder. */
export const drawPictures = async (folder: string): Promise<void> => {
  await asImage(small).png().toFile(join(folder, "small.png"));
  await asImage(large).png().toFile(join(folder, "large.png"));
  await asImage(large)
    .tiff({ compression: "deflate", tile: true, tileWidth: 128, tileHeight: 128, pyramid: true })
    .toFile(join(folder, "large.tif"));
};

/** Stores the small image under a name that may contain slashes, spaces and other characters. */
export const drawSmall = async (folder: string, name: string): Promise<void> => {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await asImage(small).png().toBuffer());
};

/** Writes a TIFF of two pages, both 240×280; the first is the second one rotated by 180°. */
export const drawPages = async (folder: string, name: string): Promise<void> => {
  const page = await asImage(second).png().toBuffer();
  const first = await sharp(page).rotate(180).png().toBuffer();
  await sharp([first, page], { join: { animated: true } })
    .tiff({ compression: "deflate" })
    .toFile(join(folder, name));
};
