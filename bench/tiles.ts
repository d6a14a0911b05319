import type { Rect } from "../src/core/geometry.ts";
import type { BenchImage } from "./image.ts";

/** One tile of one level. */
export interface Tile {
  /** How much smaller than full size the level is: 1, 2, 4 … */
  readonly factor: number;
  readonly column: number;
  readonly row: number;
}

/**
 * The path of a viewer's tile request; by the arithmetic of 2.1 appendix and 3.0 implementation
 * notes.
 */
export const tilePath = (image: BenchImage, { factor, column, row }: Tile): string => {
  const { width, height } = image;
  const x = column * image.tileWidth * factor;
  const y = row * image.tileHeight * factor;
  const w = Math.min(image.tileWidth * factor, width - x);
  const h = Math.min(image.tileHeight * factor, height - y);
  const whole = w === width && h === height;
  const size = { width: Math.ceil(w / factor), height: Math.ceil(h / factor) };
  return picture(image, {
    region: whole ? "full" : `${x},${y},${w},${h}`,
    size: whole && factor === 1 ? largest(image) : tileSize(image, size.width, size.height),
  });
};

/** The tiles of a level that a part of the page (in full-size pixels) touches, row by row. */
export const tilesOver = (image: BenchImage, factor: number, view: Rect): Tile[] => {
  const across = image.tileWidth * factor;
  const down = image.tileHeight * factor;
  const tiles: Tile[] = [];
  const right = Math.min(view.x + view.width, image.width);
  const bottom = Math.min(view.y + view.height, image.height);
  for (let row = Math.floor(Math.max(view.y, 0) / down); row * down < bottom; row++)
    for (let column = Math.floor(Math.max(view.x, 0) / across); column * across < right; column++)
      tiles.push({ factor, column, row });
  return tiles;
};

/** The path of an image request, upright, in the version's own words. */
export const picture = (
  image: BenchImage,
  { region, size, format = "jpg" }: { region: string; size: string; format?: string },
): string =>
  `${image.path}/${region}/${size}/0/${image.version === 1 ? "native" : "default"}.${format}`;

/** The version's keyword for the maximum size. */
export const largest = (image: BenchImage): string => (image.version === 3 ? "max" : "full");

const tileSize = (image: BenchImage, width: number, height: number): string =>
  image.version === 3 ? `${width},${height}` : `${width},`;
