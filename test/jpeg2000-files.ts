import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Pixels } from "./likeness.ts";

/** A file of test/jpeg2000-files. */
export const jpeg2000File = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`./jpeg2000-files/${name}`, import.meta.url)));

/** A tile of test/tiles: 32 x 32 pixels. */
export const storedTile = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`./tiles/${name}`, import.meta.url)));

const size = { width: 301, height: 219 };

/** The drawing of the files: the same samples as in make.py beside them. */
export const drawing = (): Pixels => {
  const data = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const ring = ((x - 150) ** 2 + (y - 110) ** 2) >> 9;
      data.set(
        [Math.floor((x + y) / 3), ring, ((x >> 5) ^ (y >> 5)) * 16],
        (y * size.width + x) * 3,
      );
    }
  return { data, ...size, channels: 3 };
};
